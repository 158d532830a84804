//! The book's algorithm in Python and `Visitors::book` alternate on one server.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use jiff::civil::{Date, date};
use tallis::{Profile, Server, Store, Visitors};
use testkit::rng::Rng;

use super::place::{of_server, of_store, same};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/count_visits.py");

/// The program in Python, which is queried line by line.
struct Book {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Book {
    fn ask(&mut self, line: &str) -> u64 {
        writeln!(self.input, "{line}").unwrap();
        self.output.next().unwrap().unwrap().parse().unwrap()
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn python_and_visitors_alternate() {
    let Some(live) = testkit::live::named("redis-7.0.15") else { return };
    let Some(mut python) = testkit::live::redis_py() else { return };
    python.arg(PROGRAM).arg(live.socket()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = python.spawn().unwrap();
    let input = process.stdin.take().unwrap();
    let output = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut book = Book { process, input, output };

    let visitors = Visitors::book(Server::redis(live.connect()));
    let store = Store::builder().profile(Profile::Redis70).build();
    let alone = Visitors::book(store.clone());
    let mut rng = Rng::new(9);
    let sessions: Vec<String> = (0..700).map(|_| rng.uuid()).collect();
    // Either of them begins a day, with a forecast from the day that both have counted.
    for (number, day) in (0..4).map(|number| (number, date(2026, 11, 20 + number))) {
        let mut seen = HashSet::new();
        for visit in 0..1000 {
            let session = rng.pick(&sessions).unwrap();
            let is_pythons = if visit == 0 { number % 2 == 0 } else { rng.below(2) == 0 };
            let is_new = if is_pythons {
                book.ask(&format!("{day} {session}")) == 1
            } else {
                visitors.count_visit(session, day).unwrap()
            };
            assert_eq!(is_new, seen.insert(session), "{day}, visit {visit}, {is_pythons}");
            alone.count_visit(session, day).unwrap();
        }
        check_counts(&mut book, &visitors, day, seen.len() as u64);
    }
    same("the book", &of_server(&mut live.connect()), &of_store(&store));
}

fn check_counts(book: &mut Book, visitors: &Visitors<Server>, day: Date, wanted: u64) {
    assert_eq!(visitors.count(day).unwrap(), wanted);
    assert_eq!(book.ask(&day.to_string()), wanted);
}
