//! The table of files and payloads.

use super::{golden, head, row};
use crate::every_type::{Outcome, Row, rows};
use crate::lines::LINES;

const HEAD: &str = "## Files and payloads

A server and a store run the same commands, which create every type in every encoding: lists with compressed and with plain nodes, expiring fields, streams, expiring keys in \
several databases, and on 7.0.15 the filters of RedisBloom. Then each side loads the file of the other, and restores each DUMP of the other.

| sign | means |
|---|---|
| equal | all data is loaded: DEBUG DIGEST is the same, and so is DUMP if both sides have the same encodings |
| refused | the server does not load this version, and returns this error |
| golden files | the number of files of such servers that the tests load |
| - | neither side writes this version, or no such server is available |

Each row is a version of the format. Files have expiring fields from version 12 on and in Valkey's 80, and the streams that their version supports. `SaveOptions::version` \
selects the version of files, and the profile that of payloads.

";

/// Returns the section, or `None` if a server is missing.
pub(super) fn section() -> Option<String> {
    let mut section = HEAD.to_owned();
    section.push_str(&head([
        "server",
        "version",
        "its file here",
        "our file there",
        "its DUMP here",
        "our DUMP there",
    ]));
    for line in &LINES {
        let mut seen: Vec<(Vec<String>, [String; 4])> = Vec::new();
        for Row { version, file_here, file_there, payload_here, payload_there } in rows(line)? {
            let cells = [file_here, file_there, payload_here, payload_there].map(|outcome| {
                // The number is in the row already.
                shown(&outcome).replace(&format!("version {}", version.number()), "version")
            });
            match seen.last_mut() {
                Some((versions, last)) if *last == cells => versions.push(version.to_string()),
                _ => seen.push((vec![version.to_string()], cells)),
            }
        }
        for (versions, cells) in seen {
            let head = [line.title.to_owned(), versions.join(", ")];
            section.push_str(&row(head.into_iter().chain(cells)));
        }
    }
    for (title, versions, files) in golden::series() {
        let files = if files == 0 { "-".to_owned() } else { format!("golden files: {files}") };
        section.push_str(&row([&title, &versions, &files, "-", "-", "-"]));
    }
    Some(section)
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Equal => "equal".to_owned(),
        Outcome::Refused(why) => format!("refused: `{why}`"),
        Outcome::NotWritten => "-".to_owned(),
    }
}
