//! INFO: the fields that apply to an embedded store.

use std::fmt::Write;
use std::time::Duration;

use crate::error::Error;
use crate::execute::{Answer, is};
use crate::persist::Task;
use crate::reply::Reply;
use crate::store::scope::View;
use crate::store::{Locks, Store};

/// A section: its name, and the function that writes its lines.
struct Section {
    name: &'static str,
    title: &'static str,
    write: fn(&View<'_>, &mut String),
}

/// The sections, in output order.
const SECTIONS: &[Section] = &[
    Section { name: "server", title: "Server", write: server },
    Section { name: "memory", title: "Memory", write: memory },
    Section { name: "persistence", title: "Persistence", write: persistence },
    Section { name: "keyspace", title: "Keyspace", write: keyspace },
];

pub(super) fn info(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let all = |arg: &&[u8]| ["default", "all", "everything"].iter().any(|name| is(arg, name));
    let all = args.is_empty() || args.iter().any(all);
    let asked = |section: &&Section| all || args.iter().any(|arg| is(arg, section.name));
    let sections: Vec<&Section> = SECTIONS.iter().filter(asked).collect();
    if sections.is_empty() {
        return Ok(Reply::Verbatim(String::new()));
    }
    store.read_stripes(0..store.shared().stripe_count(), |view| {
        let mut text = String::new();
        for (number, section) in sections.into_iter().enumerate() {
            text.push_str(if number > 0 { "\r\n# " } else { "# " });
            text.push_str(section.title);
            text.push_str("\r\n");
            (section.write)(view, &mut text);
        }
        Ok::<_, Error>(Reply::Verbatim(text))
    })
}

/// The line `name:value`.
fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{name}:{value}\r\n");
}

fn server(view: &View<'_>, text: &mut String) {
    let version = view.shared().profile().server_version();
    line(text, "redis_version", version);
    line(text, "tallis_version", env!("CARGO_PKG_VERSION"));
    line(text, "redis_mode", "embedded");
    line(text, "os", std::env::consts::OS);
    line(text, "arch_bits", usize::BITS);
    line(text, "process_id", std::process::id());
    line(text, "server_time_usec", view.now_ms().saturating_mul(1000));
}

fn memory(view: &View<'_>, text: &mut String) {
    let used = view.used_memory();
    line(text, "used_memory", used);
    line(text, "used_memory_human", human(used));
    line(text, "maxmemory", 0);
    line(text, "maxmemory_human", human(0));
    line(text, "maxmemory_policy", "noeviction");
}

/// The fields of Redis, without those about forked processes.
fn persistence(view: &View<'_>, text: &mut String) {
    let shared = view.shared();
    let directory = shared.directory();
    let job =
        |task| directory.map(|directory| directory.background().job(task)).unwrap_or_default();
    let (save, rewrite) = (job(Task::Save), job(Task::Rewrite));
    let seconds = |time: Option<Duration>| {
        time.map_or(-1, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX))
    };
    let status = |ok: bool| if ok { "ok" } else { "err" };
    let progress = [&save, &rewrite].into_iter().find(|job| job.is_running());
    let progress = progress.map(|job| job.control.progress());
    line(text, "loading", 0);
    line(text, "async_loading", 0);
    line(text, "current_save_keys_processed", progress.map_or(0, |progress| progress.saved));
    line(text, "current_save_keys_total", progress.map_or(0, |progress| progress.keys));
    line(text, "rdb_changes_since_last_save", shared.unsaved_changes());
    line(text, "rdb_bgsave_in_progress", u8::from(save.is_running()));
    line(text, "rdb_last_save_time", shared.last_save());
    line(text, "rdb_last_bgsave_status", status(save.failed == 0));
    line(text, "rdb_last_bgsave_time_sec", seconds(save.took));
    line(text, "rdb_current_bgsave_time_sec", seconds(save.running()));
    line(text, "rdb_saves", save.done);
    line(text, "rdb_last_load_keys_loaded", directory.map_or(0, |own| own.report().snapshot_keys));
    line(text, "aof_enabled", u8::from(shared.log().is_some()));
    line(text, "aof_rewrite_in_progress", u8::from(rewrite.is_running()));
    line(text, "aof_rewrite_scheduled", u8::from(rewrite.is_scheduled()));
    line(text, "aof_last_rewrite_time_sec", seconds(rewrite.took));
    line(text, "aof_current_rewrite_time_sec", seconds(rewrite.running()));
    line(text, "aof_last_bgrewrite_status", status(rewrite.failed == 0));
    line(text, "aof_rewrites", rewrite.done);
    line(text, "aof_rewrites_consecutive_failures", rewrite.failed);
    let log = shared.log();
    line(text, "aof_last_write_status", status(log.is_none_or(|log| log.error().is_none())));
    if let Some(log) = log {
        let [size, base, buffered] = log.sizes();
        line(text, "aof_current_size", size);
        line(text, "aof_base_size", base);
        line(text, "aof_buffer_length", buffered);
    }
}

fn keyspace(view: &View<'_>, text: &mut String) {
    for db in view.databases() {
        let _ = write!(
            text,
            "db{}:keys={},expires={},avg_ttl={}\r\n",
            db.number, db.keys, db.expires, db.avg_ttl_ms
        );
    }
}

/// Formats a number of bytes for people: `120B`, `1.47M`.
#[expect(clippy::cast_precision_loss, reason = "only two decimals are shown")]
fn human(bytes: usize) -> String {
    let units = ["K", "M", "G", "T", "P"];
    let mut size = bytes as f64 / 1024.0;
    if size < 1.0 {
        return format!("{bytes}B");
    }
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.2}{}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_below_them() {
        let cases = [
            (0, "0B"),
            (1023, "1023B"),
            (1024, "1.00K"),
            (1536, "1.50K"),
            ((1 << 20) - 1, "1024.00K"),
            (1 << 20, "1.00M"),
            (1_536_568, "1.47M"),
            (25_276_502_016, "23.54G"),
            (1 << 40, "1.00T"),
            (1 << 50, "1.00P"),
        ];
        for (bytes, text) in cases {
            assert_eq!(human(bytes), text);
        }
    }
}
