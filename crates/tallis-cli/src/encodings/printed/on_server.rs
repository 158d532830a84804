//! The measurements of printed figures on a server.

use std::iter;

use testkit::live::Reply;

use super::super::server::Live;
use super::super::shape::Words;
use super::bench::BATCH;
use crate::failure::Failure;

/// The bytes of a DUMP in addition to the value: its type before it, the version and the checksum after it.
const DUMP_FRAME: u64 = 1 + 2 + 8;

impl Live {
    /// Deletes all keys, and waits until their memory is freed, so that it is not freed while the next value is
    /// measured.
    pub(super) fn clear(&mut self) -> Result<(), Failure> {
        self.ask(["FLUSHALL", "SYNC"]).map(drop)
    }

    /// Adds the elements to a key, by commands with this name.
    pub(super) fn add_all(
        &mut self,
        command: &str,
        key: &str,
        elements: impl IntoIterator<Item = String>,
    ) -> Result<(), Failure> {
        let mut elements = elements.into_iter().map(String::into_bytes).peekable();
        self.send(iter::from_fn(|| {
            elements.peek()?;
            let head = [command, key].map(|word| word.as_bytes().to_vec());
            Some(head.into_iter().chain(elements.by_ref().take(BATCH)).collect::<Words>())
        }))
    }

    /// Returns the bytes of a key and its value, by MEMORY USAGE of all elements.
    pub(super) fn memory_usage(&mut self, key: &str) -> Result<u64, Failure> {
        let reply = self.ask(["MEMORY", "USAGE", key, "SAMPLES", "0"])?;
        self.whole(&reply, "MEMORY USAGE")
    }

    /// Returns the bytes that its allocator holds: `used_memory`.
    pub(super) fn used_memory(&mut self) -> Result<u64, Failure> {
        let reply = self.ask(["INFO", "memory"])?;
        let text = String::from_utf8_lossy(reply.bytes().unwrap_or_default()).into_owned();
        let used = text.lines().find_map(|line| line.strip_prefix("used_memory:"));
        used.and_then(|used| used.parse().ok()).ok_or_else(|| self.odd("INFO memory"))
    }

    /// Runs a function and returns how many more bytes the server's allocator holds after it.
    pub(super) fn held(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let before = self.used_memory()?;
        work(self)?;
        Ok(self.used_memory()?.saturating_sub(before))
    }

    /// Returns `serializedlength` of DEBUG OBJECT, by DUMP, which needs no permission.
    pub(super) fn serialized(&mut self, key: &str) -> Result<u64, Failure> {
        let reply = self.ask(["DUMP", key])?;
        let dump = reply.bytes().ok_or_else(|| self.odd("DUMP"))?;
        Ok(serialized(dump))
    }

    /// PFCOUNT.
    pub(super) fn pfcount(&mut self, key: &str) -> Result<u64, Failure> {
        let reply = self.ask(["PFCOUNT", key])?;
        self.whole(&reply, "PFCOUNT")
    }

    /// Returns the bytes of a string.
    pub(super) fn string(&mut self, key: &str) -> Result<Vec<u8>, Failure> {
        let reply = self.ask(["GET", key])?;
        reply.bytes().map(<[u8]>::to_vec).ok_or_else(|| self.odd("GET"))
    }

    /// Returns how many of the items a Bloom filter reports as added.
    pub(super) fn found(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = String>,
    ) -> Result<u64, Failure> {
        let mut items = items.into_iter().map(String::into_bytes).peekable();
        let mut found = 0;
        while items.peek().is_some() {
            let head = ["BF.MEXISTS", key].map(|word| word.as_bytes().to_vec());
            let words: Words = head.into_iter().chain(items.by_ref().take(BATCH)).collect();
            let reply = self.ask_words(&words)?;
            let answers = reply.elements().ok_or_else(|| self.odd("BF.MEXISTS"))?;
            found += answers.iter().filter(|answer| matches!(answer, Reply::Int(1))).count() as u64;
        }
        Ok(found)
    }

    fn whole(&self, reply: &Reply, to: &str) -> Result<u64, Failure> {
        let Reply::Int(number) = *reply else { return Err(self.odd(to)) };
        u64::try_from(number).map_err(|_| self.odd(to))
    }

    /// Returns the failure for a reply of an unexpected type.
    fn odd(&self, to: &str) -> Failure {
        Failure::Trouble(format!("{}: unexpected reply to {to}", self.name()))
    }
}

/// Returns `serializedlength`, given a DUMP.
pub(super) fn serialized(dump: &[u8]) -> u64 {
    (dump.len() as u64).saturating_sub(DUMP_FRAME)
}
