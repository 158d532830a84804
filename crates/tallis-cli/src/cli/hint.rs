//! Hints: the arguments that are still to be typed.

use tallis::resp::split_words;

use super::docs::{Argument, Doc, Docs, Kind};

/// Returns the hint after a line: the missing arguments. `None` if the line is no command, or has more words than its
/// command takes.
pub(super) fn hint(docs: &Docs, line: &str) -> Option<String> {
    let (words, is_open) = words_of(line)?;
    let mut words: &[Vec<u8>] = &words;
    if let [count, _, ..] = words
        && !count.is_empty()
        && count.iter().all(u8::is_ascii_digit)
    {
        words = &words[1..];
    }
    let (name, mut rest) = words.split_first()?;
    let mut doc = docs.find(name)?;
    // The name is known only when it has ended, because it may be the beginning of a longer one.
    let ended = !rest.is_empty() || !is_open;
    if !doc.subcommands.is_empty() {
        match rest.split_first() {
            None => return ended.then(|| names(doc)),
            Some((sub, behind)) => {
                doc = doc.find(sub)?;
                rest = behind;
            }
        }
    }
    let rest: Vec<&[u8]> = rest.iter().map(Vec::as_slice).collect();
    let mut left = Vec::new();
    if take_list(&doc.arguments, &rest, &mut left) < rest.len() || left.is_empty() {
        return None;
    }
    let space = if is_open { " " } else { "" };
    Some(format!("{space}{}", left.join(" ")))
}

/// Returns the subcommands to choose from.
fn names(doc: &Doc) -> String {
    let names: Vec<_> = doc.subcommands.iter().map(|sub| sub.name.as_str()).collect();
    names.join(" | ")
}

/// Returns the words of an incomplete line, and whether the last one may continue.
fn words_of(line: &str) -> Option<(Vec<Vec<u8>>, bool)> {
    if let Ok(words) = split_words(line.as_bytes()) {
        return Some((words, !line.ends_with(|last: char| last.is_ascii_whitespace())));
    }
    let closed = |quote: char| split_words(format!("{line}{quote}").as_bytes()).ok();
    closed('"').or_else(|| closed('\'')).map(|words| (words, true))
}

/// Matches words with these arguments; returns how many words match. The missing arguments are appended to `left`.
fn take_list(arguments: &[Argument], words: &[&[u8]], left: &mut Vec<String>) -> usize {
    let mut at = 0;
    let mut arguments = arguments;
    while let Some(first) = arguments.first() {
        // Adjacent options may come in any order.
        let run = arguments.iter().take_while(|one| one.optional).count();
        let (some, behind) = arguments.split_at(run.max(1));
        arguments = behind;
        if run == 0 {
            at += take(first, &words[at..], behind, left).unwrap_or_else(|| {
                left.push(first.syntax());
                0
            });
            continue;
        }
        let mut open: Vec<&Argument> = some.iter().collect();
        // Values without a token take the words that are no token of another argument.
        while at < words.len() {
            let by_token = open.iter().position(|one| begins(one, words[at]) == Begins::ByToken);
            let any = || open.iter().position(|one| begins(one, words[at]) == Begins::ByAny);
            let Some(chosen) = by_token.or_else(any) else { break };
            let one = open.remove(chosen);
            at += take(one, &words[at..], some, left).unwrap_or_default();
        }
        left.extend(open.into_iter().map(Argument::syntax));
    }
    at
}

/// Matches words with an argument; `None` if it does not begin with the first word. A token of `others` ends repeated
/// values.
fn take(
    argument: &Argument,
    words: &[&[u8]],
    others: &[Argument],
    left: &mut Vec<String>,
) -> Option<usize> {
    let first = words.first()?;
    if begins(argument, first) == Begins::Not {
        return None;
    }
    let leads = argument.kind != Kind::Token && argument.token.is_some();
    let mut at = usize::from(leads);
    at += take_value(argument, &words[at..], left);
    if !argument.multiple {
        return Some(at);
    }
    let is_other = |word: &[u8]| others.iter().any(|one| begins(one, word) == Begins::ByToken);
    while at < words.len() {
        let token = usize::from(leads && argument.multiple_token);
        let goes_on = token == 0 || is_token(argument, words[at]);
        if !goes_on || token == 0 && is_other(words[at]) {
            break;
        }
        let taken = take_value(argument, &words[at + token..], left);
        at += token + taken;
        if token + taken == 0 {
            break;
        }
    }
    let token = argument.token.as_deref().filter(|_| argument.multiple_token);
    let space = if token.is_some() { " " } else { "" };
    let token = token.unwrap_or_default();
    left.push(format!("[{token}{space}{} ...]", argument.value_syntax()));
    Some(at)
}

/// Matches words with the value of an argument, after its token.
fn take_value(argument: &Argument, words: &[&[u8]], left: &mut Vec<String>) -> usize {
    match argument.kind {
        Kind::Value | Kind::OneOf | Kind::Block if words.is_empty() => {
            left.push(argument.value_syntax());
            0
        }
        Kind::Value | Kind::Token => 1,
        Kind::Block => take_list(&argument.inner, words, left),
        Kind::OneOf => {
            let by = |how| argument.inner.iter().find(|one| begins(one, words[0]) == how);
            let chosen = by(Begins::ByToken).or_else(|| by(Begins::ByAny));
            chosen.and_then(|one| take(one, words, &[], left)).unwrap_or_else(|| {
                left.push(argument.value_syntax());
                0
            })
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begins {
    Not,
    /// The word is the token of the argument.
    ByToken,
    /// Any word matches.
    ByAny,
}

/// Returns how an argument begins with a word.
fn begins(argument: &Argument, word: &[u8]) -> Begins {
    if argument.token.is_some() {
        return if is_token(argument, word) { Begins::ByToken } else { Begins::Not };
    }
    let inner = argument.inner.iter().map(|one| (one.optional, begins(one, word)));
    match argument.kind {
        Kind::Value | Kind::Token => Begins::ByAny,
        Kind::OneOf => {
            let inner: Vec<_> = inner.map(|(_, how)| how).collect();
            let has = |how| inner.contains(&how);
            let any = if has(Begins::ByAny) { Begins::ByAny } else { Begins::Not };
            if has(Begins::ByToken) { Begins::ByToken } else { any }
        }
        // The first nested argument, and those after it up to a required one.
        Kind::Block => {
            let mut found = Begins::Not;
            for (optional, how) in inner {
                if how != Begins::Not {
                    found = how;
                }
                if how != Begins::Not || !optional {
                    break;
                }
            }
            found
        }
    }
}

fn is_token(argument: &Argument, word: &[u8]) -> bool {
    argument.token.as_ref().is_some_and(|token| token.as_bytes().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use tallis::Store;

    use super::*;

    #[test]
    fn the_arguments_that_are_left_are_shown() {
        let docs = Docs::of(&Store::new());
        let set = "[NX | XX | IFEQ comparison-value] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]";
        for (line, want) in [
            ("get", Some(" key")),
            ("GET ", Some("key")),
            ("get k", None),
            ("get k ", None),
            ("get k extra", None),
            ("nosuch ", None),
            ("", None),
            (" ", None),
            ("set ", Some(&format!("key value {set}"))),
            ("set k", Some(&format!(" value {set}"))),
            ("set \"a b", Some(&format!(" value {set}"))),
            ("set 'a b' ", Some(&format!("value {set}"))),
            ("set k v ", Some(set)),
            ("set k v ex", Some(" seconds [NX | XX | IFEQ comparison-value] [GET]")),
            ("set k v ex 5 ", Some("[NX | XX | IFEQ comparison-value] [GET]")),
            ("set k v GET px 5 xx", None),
            ("set k v oops", None),
            ("3 incr ", Some("key")),
            ("config", None),
            ("config ", Some("GET | HELP | RESETSTAT | SET")),
            ("config get", Some(" parameter [parameter ...]")),
            ("config get a ", Some("[parameter ...]")),
            ("config nosuch ", None),
            ("mset k ", Some("value [key value ...]")),
            ("mset k v ", Some("[key value ...]")),
            ("mset k v k ", Some("value [key value ...]")),
            ("sintercard 2 a b ", Some("[key ...] [LIMIT limit]")),
            ("sintercard 2 a b limit ", Some("[key ...] limit")),
            ("sintercard 2 a b limit 5", Some(" [key ...]")),
            (
                "sort k get a ",
                Some(
                    "[GET pattern ...] [BY pattern] [LIMIT offset count] [ASC | DESC] [ALPHA] [STORE destination]",
                ),
            ),
            (
                "sort k limit 0 ",
                Some(
                    "count [BY pattern] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA] [STORE destination]",
                ),
            ),
            ("zadd k NX 5 ", Some("[GT | LT] [CH] [INCR] member [score member ...]")),
        ] {
            assert_eq!(hint(&docs, line).as_deref(), want, "{line}");
        }
    }

    /// A command accepts the words of its own syntax.
    #[test]
    fn a_line_of_the_names_of_arguments_fits_every_command() {
        let docs = Docs::of(&Store::new());
        for doc in docs.commands().iter().filter(|doc| doc.subcommands.is_empty()) {
            let least: Vec<_> =
                doc.arguments.iter().filter(|one| !one.optional).map(Argument::syntax).collect();
            assert_eq!(hint(&docs, &format!("{} ", doc.name)).is_none(), doc.arguments.is_empty());
            if least.iter().all(|syntax| !syntax.contains(['[', '<', ' '])) {
                let line = format!("{} {} ", doc.name, least.join(" "));
                let left = hint(&docs, &line).unwrap_or_default();
                assert!(left.is_empty() || left.starts_with('['), "{line}: {left}");
            }
        }
    }
}
