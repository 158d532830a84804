//! A custom recipe: votes on articles, with one vote per voter.
//!
//! A vote changes two keys, the set of an article's voters and the ranking of all articles. The atomic step that writes
//! both is a `Procedure`. Run it with `cargo run --example votes -p tallis`.

use tallis::{Backend, Error, Procedure, Store, Tx};

/// Adds the voter to the article's voters with SADD and, if the voter is new, increments the article's score with
/// ZINCRBY.
struct Vote<'a> {
    voters: &'a str,
    ranking: &'a str,
    article: &'a str,
    voter: u32,
}

impl Procedure for Vote<'_> {
    /// The number of votes of the article; `None` if the voter has already voted.
    type Output = Option<f64>;
    type Keys<'p>
        = [&'p str; 2]
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        [self.voters, self.ranking]
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Option<f64>, Error> {
        // This fails if the ranking has another type, before the voter is added.
        tx.zscore(self.ranking, self.article)?;
        if tx.sadd(self.voters, [self.voter])? == 0 {
            return Ok(None);
        }
        tx.zincr(self.ranking, self.article, 1.0).map(Some)
    }
}

/// Votes in a backend.
struct Votes<B = Store> {
    backend: B,
}

impl<B: Backend> Votes<B> {
    fn vote(&self, article: &str, voter: u32) -> Result<Option<f64>, Error> {
        let voters = format!("voted:{article}");
        self.backend.call(&Vote { voters: &voters, ranking: "votes", article, voter })
    }
}

pub(crate) fn main() -> Result<(), Error> {
    let store = Store::new();
    let votes = Votes { backend: store.clone() };
    assert_eq!(votes.vote("article:1", 7)?, Some(1.0));
    assert_eq!(votes.vote("article:1", 7)?, None);
    assert_eq!(votes.vote("article:1", 8)?, Some(2.0));
    assert_eq!(votes.vote("article:2", 8)?, Some(1.0));
    assert_eq!(store.zrevrange("votes", 0, -1)?, ["article:1", "article:2"]);

    // If the ranking has another type, the vote is refused and the voter is not added.
    store.set("votes", "not a ranking")?;
    assert!(votes.vote("article:3", 7).is_err());
    assert!(!store.exists("voted:article:3")?);

    println!("{} have voted on article:1", store.scard("voted:article:1")?);
    Ok(())
}
