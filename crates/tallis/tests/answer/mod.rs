//! Replies of a store, for comparison with those of a server.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use tallis::{Profile, Reply};
use testkit::differential::Reply as Answer;

/// The reply in the type of the harness.
pub(crate) fn answer(reply: Reply) -> Answer {
    answer_in(reply, Profile::default())
}

/// The same, with the digits of a profile.
pub(crate) fn answer_in(reply: Reply, profile: Profile) -> Answer {
    let answer = |reply| answer_in(reply, profile);
    match reply {
        Reply::Status(text) => Answer::Status(text.into_owned()),
        Reply::Error(error) => Answer::Error(error.to_string()),
        Reply::Int(number) => Answer::Int(number),
        Reply::Bulk(bytes) => Answer::Bulk(bytes.to_vec()),
        Reply::Verbatim(text) => {
            Answer::Verbatim { format: "txt".to_owned(), text: text.into_bytes() }
        }
        Reply::Nil => Answer::Nil,
        Reply::NullArray => Answer::NullArray,
        Reply::Array(all) => Answer::Array(all.into_iter().map(answer).collect()),
        Reply::Set(all) => Answer::Set(all.into_iter().map(answer).collect()),
        Reply::Map(pairs) => Answer::Map(
            pairs.into_iter().map(|(key, value)| (answer(key), answer(value))).collect(),
        ),
        Reply::Boolean(yes) => Answer::Bool(yes),
        Reply::Named(name, value) => {
            Answer::Map(vec![(Answer::Status(name.to_owned()), answer(*value))])
        }
        Reply::Double(number) => Answer::Double(number),
        // With the digits that are sent to a client.
        Reply::Coordinate(degrees) => {
            let shown = Reply::Coordinate(degrees).into_resp2(profile);
            let Reply::Bulk(text) = shown else { panic!("{shown:?} is not a text") };
            Answer::Double(std::str::from_utf8(&text).unwrap().parse().unwrap())
        }
        Reply::Pairs(pairs) => {
            let pair = |(first, second)| Answer::Array(vec![answer(first), answer(second)]);
            Answer::Array(pairs.into_iter().map(pair).collect())
        }
        other => panic!("{other:?} has no shape in the harness yet"),
    }
}
