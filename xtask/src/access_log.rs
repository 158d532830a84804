//! `cargo xtask access-log`: generates `examples/access.log`, the log that the README counts.
//!
//! # Idea
//!
//! A simulated web site: visitors with an address and a user agent, of whom those with low numbers return more often,
//! mostly during the day; each visit requests some pages with their resources. Everything is computed from one seed, so
//! the file in the repository can be reproduced byte for byte, and a test does so.
//!
//! # Limits
//!
//! Addresses are from the ranges reserved for documentation (RFC 5737, RFC 3849) and from a private one, so no line
//! identifies a person.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr};

use clap::Args;
use testkit::rng::Rng;

use crate::run::Outcome;
use crate::tree;

/// The arguments of `cargo xtask access-log`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Writes examples/access.log instead of printing the log.
    #[arg(long)]
    write: bool,
}

const PAGE: &str = "examples/access.log";
const SEED: u64 = 2014;
const LINES: usize = 4_000;
const VISITORS: usize = 1_500;

/// The days of the log, and the load of each: the fourth and the fifth are a weekend.
const DAYS: [(&str, u64); 5] = [
    ("12/Mar/2025", 9),
    ("13/Mar/2025", 11),
    ("14/Mar/2025", 8),
    ("15/Mar/2025", 5),
    ("16/Mar/2025", 6),
];

/// The load of each hour.
const HOURS: [u64; 24] =
    [4, 3, 2, 1, 1, 2, 4, 8, 13, 17, 19, 20, 18, 18, 19, 18, 17, 16, 17, 19, 20, 17, 12, 7];

const DAY: u64 = 86_400;

/// Prints or writes the log.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let log = generate();
    if arguments.write {
        tree::write(&tree::root().join(PAGE), &log)
    } else {
        match io::stdout().write_all(log.as_bytes()) {
            // `| head` reads a part of it.
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(why.to_string()),
            _ => Ok(()),
        }
    }
}

/// Returns the whole log.
fn generate() -> String {
    let mut rng = Rng::new(SEED);
    let visitors: Vec<Visitor> = (0..VISITORS).map(|_| Visitor::new(&mut rng)).collect();
    let mut hits = Vec::new();
    while hits.len() < LINES {
        let visitor = &visitors[heavy_tailed(&mut rng, visitors.len())];
        let start = moment(&mut rng);
        visitor.visit(&mut rng, start, LINES - hits.len(), &mut hits);
    }
    // A stable sort: requests of the same second stay in their order.
    hits.sort_by_key(|hit| hit.at);
    let mut log = String::new();
    for hit in &hits {
        // Writing to a string cannot fail.
        let _ = writeln!(log, "{hit}");
    }
    log
}

/// Returns a number below `len`, small ones far more often: half of the draws are in the first quarter.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a product of a fraction and a small length, cut to an index"
)]
fn heavy_tailed(rng: &mut Rng, len: usize) -> usize {
    let unit = rng.unit();
    (unit * unit * len as f64) as usize
}

/// Returns an index into `weights`, with a probability proportional to its weight.
fn weighted(rng: &mut Rng, weights: impl Iterator<Item = u64> + Clone) -> usize {
    let mut left = rng.below(weights.clone().sum());
    let mut weights = weights.enumerate();
    loop {
        match weights.next() {
            Some((_, weight)) if left >= weight => left -= weight,
            Some((at, _)) => return at,
            None => unreachable!("the number is below the sum"),
        }
    }
}

/// A random second within the log's days.
fn moment(rng: &mut Rng) -> u64 {
    let day = weighted(rng, DAYS.iter().map(|&(_, weight)| weight)) as u64;
    let hour = weighted(rng, HOURS.iter().copied()) as u64;
    day * DAY + hour * 3_600 + rng.below(3_600)
}

/// A client of the site: a person, or a program.
#[derive(Debug)]
struct Visitor {
    address: String,
    user: &'static str,
    agent: &'static str,
    referer: &'static str,
    robot: bool,
}

impl Visitor {
    fn new(rng: &mut Rng) -> Self {
        let robot = rng.chance(1, 12);
        let agents = if robot { ROBOTS } else { BROWSERS };
        let user = if !robot && rng.chance(1, 40) { "anna" } else { "-" };
        let referer = if robot { "-" } else { pick(rng, REFERERS) };
        Self { address: address(rng), user, agent: pick(rng, agents), referer, robot }
    }

    /// Adds the requests of one visit, at most `room`.
    fn visit<'a>(&'a self, rng: &mut Rng, start: u64, room: usize, hits: &mut Vec<Hit<'a>>) {
        let full = hits.len() + room;
        let mut at = start;
        let mut referer = self.referer.to_owned();
        if self.robot && rng.chance(1, 2) {
            hits.push(Hit::new(rng, self, at, "GET /robots.txt".into(), "-".into()));
        }
        loop {
            let page = path(rng);
            let mut requests = vec![format!("GET {page}")];
            if !self.robot {
                let parts = (0..rng.below(3)).map(|_| format!("GET {}", pick(rng, PARTS)));
                requests.extend(parts.collect::<Vec<_>>());
                if page == "/contact" && rng.chance(1, 2) {
                    requests.push("POST /contact".into());
                }
            }
            for (number, request) in requests.into_iter().enumerate() {
                // The log ends with its last day.
                if hits.len() >= full || at >= DAYS.len() as u64 * DAY {
                    return;
                }
                let from = if number == 0 { referer.clone() } else { inside(&page) };
                let from = if self.robot { "-".to_owned() } else { from };
                hits.push(Hit::new(rng, self, at, request, from));
                at += rng.below(2);
            }
            if rng.chance(2, 5) {
                return;
            }
            at += 4 + rng.below(120);
            referer = inside(&page);
        }
    }
}

/// The size in bytes of the body for a path: always the same.
fn size_of_body(request: &str) -> u64 {
    let seed = request.bytes().fold(SEED, |seed, byte| seed.wrapping_mul(31) ^ u64::from(byte));
    let mut rng = Rng::new(seed);
    400 + rng.below(400) * rng.below(300)
}

/// A page of the site as the value of a `Referer` header.
fn inside(page: &str) -> String {
    let path = page.split('?').next().unwrap_or_default();
    format!("https://www.example.org{path}")
}

/// One line of the log.
#[derive(Debug)]
struct Hit<'a> {
    at: u64,
    visitor: &'a Visitor,
    request: String,
    referer: String,
    status: u16,
    size: Option<u64>,
}

impl<'a> Hit<'a> {
    fn new(rng: &mut Rng, visitor: &'a Visitor, at: u64, request: String, referer: String) -> Self {
        let status = if request.starts_with("POST") {
            303
        } else {
            [200, 304, 404, 301, 206, 403, 500]
                [weighted(rng, [860, 70, 36, 20, 8, 4, 2].into_iter())]
        };
        // A reply without a body has no size; neither does, rarely, one that was interrupted.
        let bodiless = matches!(status, 304 | 303) || rng.chance(1, 200);
        let size = (!bodiless).then(|| match status {
            200 => size_of_body(&request),
            206 => rng.below(size_of_body(&request)),
            _ => 153,
        });
        Self { at, visitor, request, referer, status, size }
    }
}

/// Combined Log Format.
impl fmt::Display for Hit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Visitor { address, user, agent, .. } = self.visitor;
        let (day, second) = (DAYS[usize::try_from(self.at / DAY).unwrap_or(0)].0, self.at % DAY);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{address} - {user} [{day}:{hour:02}:{minute:02}:{second:02} +0000] ")?;
        write!(f, "\"{} HTTP/1.1\" {} ", self.request, self.status)?;
        match self.size {
            Some(size) => write!(f, "{size}")?,
            None => f.write_char('-')?,
        }
        write!(f, " \"{}\" \"{agent}\"", self.referer)
    }
}

fn pick(rng: &mut Rng, choices: &[&'static str]) -> &'static str {
    choices[rng.index(choices.len())]
}

/// The address of a visitor. Some visitors share one, such as those of an office behind NAT.
#[expect(clippy::cast_possible_truncation, reason = "each number is drawn below the width it gets")]
fn address(rng: &mut Rng) -> String {
    let host = 1 + rng.below(254) as u8;
    match rng.below(10) {
        0..=1 => Ipv4Addr::new(192, 0, 2, host).to_string(),
        2..=3 => Ipv4Addr::new(198, 51, 100, host).to_string(),
        4..=5 => Ipv4Addr::new(203, 0, 113, host).to_string(),
        6 => Ipv4Addr::new(10, rng.below(4) as u8, rng.below(256) as u8, host).to_string(),
        _ => {
            let (net, low) = (rng.below(0x400) as u16, rng.below(0x1_0000) as u16);
            let middle = if rng.chance(1, 2) { rng.below(0x1_0000) as u16 } else { 0 };
            Ipv6Addr::new(0x2001, 0xdb8, net, 0, middle, 0, 0, low).to_string()
        }
    }
}

fn path(rng: &mut Rng) -> String {
    match rng.below(20) {
        0..=4 => "/".to_owned(),
        5..=13 => {
            let number = 1 + heavy_tailed(rng, 180);
            format!("/articles/{number}")
        }
        14..=15 => format!("/tags/{}", pick(rng, TAGS)),
        16 => "/contact".to_owned(),
        17 => format!("/search?q={}&page={}", pick(rng, TAGS), 1 + rng.below(4)),
        18 => format!("/search?q=\\\"{}\\\"", pick(rng, TAGS)),
        _ => "/feed.xml".to_owned(),
    }
}

const TAGS: &[&str] = &["maps", "music", "travel", "bread", "trees", "rail", "ink", "stars"];

const PARTS: &[&str] = &[
    "/style.css",
    "/site.js",
    "/logo.svg",
    "/favicon.ico",
    "/photos/harbour.jpg",
    "/photos/mill.jpg",
];

const REFERERS: &[&str] = &[
    "-",
    "-",
    "https://www.google.com/",
    "https://www.google.com/",
    "https://www.bing.com/",
    "https://duckduckgo.com/",
    "https://news.example.net/item?id=48213",
    "https://blog.example.com/links/",
];

/// User agents of people. One of them contains a quote, as some real ones do.
const BROWSERS: &[&str] = &[
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Safari/537.36 Edg/134.0.0.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:136.0) Gecko/20100101 Firefox/136.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 14; \\\"Tab 8\\\") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
];

/// User agents of programs.
const ROBOTS: &[&str] = &[
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "curl/8.12.1",
    "python-requests/2.32.3",
    "-",
];

#[cfg(test)]
mod tests;
