//! Whether output has colours.

use std::env;
use std::io::{IsTerminal, stdout};

/// Returns whether standard output takes colours: on a terminal, unless `NO_COLOR` is set, `CLICOLOR` is 0, or the
/// terminal has none. Output to a file or pipe never has colours.
pub(crate) fn has_color() -> bool {
    stdout().is_terminal()
        && wants_color(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

fn wants_color(var: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| var(name).is_some_and(|found| found == value);
    var("NO_COLOR").is_none_or(|value| value.is_empty())
        && !is("CLICOLOR", "0")
        && !is("TERM", "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_whether_there_are_colours() {
        for (name, value, want) in [
            ("NO_COLOR", "1", false),
            ("NO_COLOR", "0", false),
            ("NO_COLOR", "", true),
            ("CLICOLOR", "0", false),
            ("CLICOLOR", "1", true),
            ("TERM", "dumb", false),
            ("TERM", "xterm", true),
            ("OTHER", "0", true),
        ] {
            let var = |asked: &str| (asked == name).then(|| value.to_owned());
            assert_eq!(wants_color(var), want, "{name}={value}");
        }
    }
}
