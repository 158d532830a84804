//! The table of the commands on Bloom filters, those of RedisBloom: declarations, and the mapping from words to typed
//! calls.
//!
//! Words are parsed as RedisBloom parses them: it compares only the first letters of the options of BF.INSERT, finds
//! those of BF.RESERVE at any position, and ignores unknown ones there.

use bloom::{MAX_CAPACITY, MAX_EXPANSION, Settings};

use crate::commands::{BloomInsertOptions, Insertion, insert_items};
use crate::error::{Error, Result};
use crate::execute::{Answer, Command, command, family, plain, refused, wrong_arity};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::double;
use crate::value::parse_int;

pub(in crate::commands) const COMMANDS: &[Command] = &family("module", "").of([
    plain!("bf.add", bf_add(key, item) => Reply::Boolean)
        .info("1.0.0", "write denyoom module", ["RW"])
        .docs(
            "Adds an item to a Bloom filter, creating it if it does not exist.",
            "O(hashes) for each layer",
        ),
    plain!("bf.card", bf_card(key))
        .info("2.4.4", "readonly module fast", ["RO"])
        .docs("Returns the number of items that were added to a Bloom filter.", "O(1)"),
    plain!("bf.debug", bf_debug(key))
        .info("1.0.0", "readonly module fast", ["RO"])
        .tips("dont_cache")
        .docs("Returns the parameters of each layer of a Bloom filter.", "O(layers)"),
    plain!("bf.exists", bf_exists(key, item) => Reply::Boolean)
        .info("1.0.0", "readonly module fast", ["RO"])
        .docs("Returns whether an item may be in a Bloom filter.", "O(hashes) for each layer"),
    command!("bf.info", "key [single_value:<CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION>]", info)
        .info("1.0.0", "readonly module fast", ["RO"])
        .tips("dont_cache")
        .docs("Returns the capacity, size and number of items of a Bloom filter.", "O(layers)"),
    command!(
        "bf.insert",
        "key [CAPACITY capacity:integer] [ERROR error:double] [EXPANSION expansion:integer] \
         [NOCREATE] [NONSCALING] ITEMS item...",
        insert,
    )
    .info("1.0.0", "write denyoom module", ["RW"])
    .docs(
        "Adds items to a Bloom filter, creating it with the given parameters.",
        "O(items * hashes) for each layer",
    ),
    command!("bf.loadchunk", "key iterator:integer data", loadchunk)
        .info("1.0.0", "write denyoom module", ["RW"])
        .docs("Restores a chunk that BF.SCANDUMP returned.", "O(bytes), O(bits) for the first"),
    command!("bf.madd", "key item...", |store, words| {
        insert_all(store, words[0], &words[1..], BloomInsertOptions::default())
    })
    .info("1.0.0", "write denyoom module", ["RW"])
    .docs(
        "Adds items to a Bloom filter, creating it if it does not exist.",
        "O(items * hashes) for each layer",
    ),
    plain!("bf.mexists", bf_mexists(key, item: strings) => booleans)
        .info("1.0.0", "readonly module fast", ["RO"])
        .docs(
            "Returns whether each of several items may be in a Bloom filter.",
            "O(items * hashes) for each layer",
        ),
    command!(
        "bf.reserve",
        "key error_rate:double capacity:integer [EXPANSION expansion:integer] [NONSCALING]",
        reserve,
    )
    .info("1.0.0", "write denyoom module", ["RW"])
    .docs("Creates an empty Bloom filter.", "O(bits)"),
    command!("bf.scandump", "key iterator:integer", scandump)
        .info("1.0.0", "readonly module fast", ["RW"])
        .tips("dont_cache")
        .docs("Returns the next chunk of a Bloom filter, to save it.", "O(bytes)"),
]);

fn booleans(known: Vec<bool>) -> Reply {
    Reply::Array(known.into_iter().map(Reply::Boolean).collect())
}

fn info(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let (key, field) = match *args {
        [key] => (key, None),
        [key, field] => (key, Some(field)),
        _ => return Err(wrong_arity("bf.info")),
    };
    let info = store.bf_info(key)?;
    let fields = [
        ("CAPACITY", "Capacity", number(info.capacity)),
        ("SIZE", "Size", number(info.size)),
        ("FILTERS", "Number of filters", Reply::count(info.filters)),
        ("ITEMS", "Number of items inserted", number(info.items)),
        (
            "EXPANSION",
            "Expansion rate",
            info.expansion.map_or(Reply::Nil, |n| Reply::Int(n.into())),
        ),
    ];
    let Some(field) = field else {
        let all = fields.into_iter().map(|(_, name, value)| (Reply::Status(name.into()), value));
        return Ok(Reply::Map(all.collect()));
    };
    let mut fields = fields.into_iter();
    let found = fields.find(|(word, ..)| field.eq_ignore_ascii_case(word.as_bytes()));
    let (_, name, value) = found.ok_or_else(|| refused("Invalid information value"))?;
    Ok(Reply::Named(name, Box::new(value)))
}

fn insert(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let (mut settings, mut non_scaling, mut create) = (Settings::default(), false, true);
    let [key, words @ ..] = args else { return Err(wrong_arity("bf.insert")) };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let letter = |at: usize| word.get(at).map_or(0, u8::to_ascii_lowercase);
        match letter(0) {
            b'i' => break,
            b'e' if letter(1) == b'r' => {
                let rate = error_rate(next(&mut words)?);
                settings = settings.with_error_rate(rate.map_err(|_| refused("Bad error rate"))?);
            }
            b'e' => {
                let expansion = expansion(next(&mut words)?);
                settings = settings.expansion(expansion.map_err(|_| refused("Bad expansion"))?);
            }
            b'c' => {
                let capacity = capacity(next(&mut words)?);
                settings = settings.with_capacity(capacity.map_err(|_| refused("Bad capacity"))?);
            }
            b'n' if letter(2) == b'c' => create = false,
            b'n' => non_scaling = true,
            _ => return Err(refused("Unknown argument received")),
        }
    }
    let items = words.as_slice();
    if items.is_empty() {
        return Err(wrong_arity("bf.insert"));
    }
    let settings = if non_scaling { settings.non_scaling() } else { settings };
    let options = BloomInsertOptions::new(settings);
    insert_all(store, key, items, if create { options } else { options.no_create() })
}

fn loadchunk(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let cursor = parse_int(args[1]);
    let cursor = cursor.ok_or_else(|| refused("ERR Second argument must be numeric"))?;
    // No chunk has a cursor below 1.
    store.bf_loadchunk(args[0], u64::try_from(cursor).unwrap_or(0), args[2])?;
    Ok(Reply::OK)
}

fn reserve(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    if args.len() > 6 {
        return Err(wrong_arity("bf.reserve"));
    }
    let settings = Settings::new(1, error_rate(args[1])?).with_capacity(capacity(args[2])?);
    let place =
        |name: &str| args.iter().position(|word| word.eq_ignore_ascii_case(name.as_bytes()));
    let non_scaling = place("NONSCALING").is_some();
    let settings = if non_scaling { settings.non_scaling() } else { settings };
    let settings = match place("EXPANSION") {
        None => settings,
        Some(at) => {
            let text = args.get(at + 1).ok_or_else(|| refused("ERR no expansion"))?;
            let times = parse_int(text).ok_or_else(|| refused("ERR bad expansion"))?;
            if non_scaling && times != 0 {
                return Err(refused("Nonscaling filters cannot expand"));
            }
            settings.expansion(expansion(text)?)
        }
    };
    store.bf_reserve(args[0], &settings)?;
    Ok(Reply::OK)
}

fn scandump(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let key = args[0];
    let Some(cursor) = parse_int(args[1]) else {
        // RedisBloom checks the key first.
        store.bf_info(key)?;
        return Err(refused("Second argument must be numeric"));
    };
    // A negative cursor is after every chunk.
    let cursor = u64::try_from(cursor).unwrap_or(u64::MAX);
    let (next, piece) = store.bf_scandump(key, cursor)?.unwrap_or_default();
    Ok(Reply::Array(vec![number(next), Reply::Bulk(piece)]))
}

/// The word after an option of BF.INSERT.
fn next<'a>(words: &mut std::slice::Iter<'_, &'a [u8]>) -> Result<&'a [u8]> {
    words.next().copied().ok_or_else(|| wrong_arity("bf.insert"))
}

/// The results for items, the last of which may be errors.
fn insert_all(
    store: &Store<impl Locks>,
    key: &[u8],
    items: &[&[u8]],
    options: BloomInsertOptions,
) -> Answer {
    let items: Vec<Member<'_>> = items.iter().map(|&item| item.into()).collect();
    let Insertion { added, refused, behind } = insert_items(store, key, &items, &options)?;
    let mut replies: Vec<Reply> = added.into_iter().map(Reply::Boolean).collect();
    if let Some(refused) = refused.map(Reply::from) {
        replies.push(refused.clone());
        let known = |known| if known { Reply::Boolean(false) } else { refused.clone() };
        replies.extend(behind.into_iter().map(known));
    }
    Ok(Reply::Array(replies))
}

fn error_rate(text: &[u8]) -> Result<f64> {
    let rate = double::parse(text).ok_or_else(|| refused("ERR bad error rate"))?;
    if rate > 0.0 && rate < 1.0 { Ok(rate) } else { Err(Error::error_rate_range()) }
}

fn capacity(text: &[u8]) -> Result<u64> {
    let capacity = parse_int(text).ok_or_else(|| refused("ERR bad capacity"))?;
    let capacity =
        u64::try_from(capacity).ok().filter(|capacity| (1..=MAX_CAPACITY).contains(capacity));
    capacity.ok_or_else(Error::capacity_range)
}

fn expansion(text: &[u8]) -> Result<u32> {
    let expansion = parse_int(text).ok_or_else(|| refused("ERR bad expansion"))?;
    let expansion = u32::try_from(expansion).ok().filter(|&times| times <= MAX_EXPANSION);
    expansion.ok_or_else(Error::expansion_range)
}

fn number(number: u64) -> Reply {
    Reply::Int(number.cast_signed())
}
