//! A length in a header allocates nothing by itself, and a small command allocates nothing at all.

use std::io::{self, Read};

use aof::{LogError, LogReader, LogWriter, Manifest};
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The size of the buffer.
const CHUNK: usize = 64 << 10;

fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.live();
    ALLOCATOR.reset_peak();
    let result = work();
    (result, ALLOCATOR.peak() - before)
}

fn read(log: impl Read) -> Result<usize, LogError> {
    let mut reader = LogReader::new(log);
    let mut words = 0;
    loop {
        match reader.next_record()? {
            Some(aof::Record::Command(command)) => words += command.words().len(),
            Some(aof::Record::Annotation(_)) => {}
            None => return Ok(words),
        }
    }
}

#[test]
fn memory_follows_what_has_arrived() {
    ALLOCATOR.this_thread(|| {
        for promise in [
            &b"*2147483647\r\n"[..],
            b"*2147483647\r\n$1\r\na\r\n",
            b"*1\r\n$536870912\r\nab",
            b"*2147483647\r\n$536870912\r\n",
        ] {
            let (result, peak) = peak_of(|| read(promise));
            assert!(matches!(result, Err(LogError::Torn { offset: 0, valid_up_to: 0 })));
            assert!(peak <= CHUNK + (4 << 10), "{peak} bytes for {}", promise.escape_ascii());
        }

        // 20 MB of a word whose header announces 500 MB: at most twice the received bytes.
        let arrived = 20 << 20;
        let log = (&b"*1\r\n$500000000\r\n"[..]).chain(io::repeat(b'x').take(arrived));
        let (result, peak) = peak_of(|| read(log));
        assert!(matches!(result, Err(LogError::Torn { .. })));
        assert!(peak as u64 <= 2 * arrived + 3 * CHUNK as u64, "{peak} bytes");

        // A command of many words: the smallest word takes 6 bytes in the log, and a slice and a range in memory.
        let count = 300_000;
        let log = [format!("*{count}\r\n").into_bytes(), b"$0\r\n\r\n".repeat(count)].concat();
        let (result, peak) = peak_of(|| read(&log[..]));
        assert_eq!(result.ok(), Some(count));
        assert!(peak <= 14 * log.len(), "{peak} bytes for {}", log.len());

        let mut small = Vec::new();
        let mut writer = LogWriter::new();
        for _ in 0..100_000 {
            writer.command(0, &["ZADD", "key", "NX", "CH", "1", "a", "2", "b"], &mut small);
        }
        let before = ALLOCATOR.allocations();
        assert_eq!(read(&small[..]).ok(), Some(800_002));
        let allocations = ALLOCATOR.allocations() - before;
        assert!(allocations <= 6, "{allocations} allocations");

        // Writing allocates only the bytes of the log.
        let mut out = Vec::with_capacity(1 << 20);
        let before = ALLOCATOR.allocations();
        for seconds in 0..1000 {
            writer.timestamp(seconds, &mut out);
            writer.append([(0, &["DEL", "a"][..]), (1, &["DEL", "b"])], &mut out);
        }
        assert_eq!(ALLOCATOR.allocations(), before);

        let line = format!("file a seq 1 type h {}\n", "k v ".repeat(200));
        let text = line.repeat(1000);
        let (manifest, peak) = peak_of(|| Manifest::parse(text.as_bytes()));
        assert_eq!(manifest.map(|manifest| manifest.history().len()), Ok(1000));
        assert!(peak <= text.len(), "{peak} bytes for {}", text.len());
    });
}
