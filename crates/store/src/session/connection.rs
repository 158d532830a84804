//! A session as a connection: CLIENT.

use bytes::Bytes;
use resp::Protocol;

use super::Client;
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, c_string, is, refused, shown};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::Shared;
use crate::value::parse_int;

/// What CLIENT returns of a session, other than its database, its transaction and its protocol.
#[derive(Debug)]
pub(super) struct Connection {
    /// Unique among the sessions of the store.
    id: u64,
    /// When it started, in seconds since the epoch.
    begun: u32,
    name: Bytes,
    lib_name: Bytes,
    lib_ver: Bytes,
    /// Sessions are never evicted, so this is only reported.
    no_evict: bool,
    /// Whether commands leave the access times of their keys unchanged.
    pub(super) no_touch: bool,
}

impl Connection {
    /// The state of a new session.
    pub(super) fn new(shared: &Shared) -> Self {
        Self {
            id: shared.next_session(),
            begun: shared.clock().coarse_secs(),
            name: Bytes::new(),
            lib_name: Bytes::new(),
            lib_ver: Bytes::new(),
            no_evict: false,
            no_touch: false,
        }
    }

    /// The id of the session, as returned by HELLO and CLIENT ID.
    pub(super) fn id(&self) -> Reply {
        Reply::from(self.id)
    }

    /// Sets a name that [`valid_name`] has checked.
    pub(super) fn set_name(&mut self, name: Bytes) {
        self.name = name;
    }

    /// Resets what RESET resets.
    pub(super) fn reset(&mut self, profile: Profile) {
        self.name = Bytes::new();
        self.no_evict &= profile.reset_keeps_no_evict();
        self.no_touch = false;
    }
}

/// Checks a name; an empty one removes the name.
pub(super) fn valid_name(name: &[u8], profile: Profile) -> Result<Bytes> {
    let seen = if profile.names_end_at_nul() { c_string(name) } else { name };
    if is_plain(seen) {
        return Ok(Bytes::copy_from_slice(name));
    }
    Err(refused("ERR Client names cannot contain spaces, newlines or special characters."))
}

/// Returns whether a text is allowed in a line of CLIENT LIST.
fn is_plain(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_graphic)
}

/// CLIENT GETNAME, ID, INFO and so on.
impl Client {
    pub(super) fn client_getname(&self) -> Reply {
        let name = &self.connection.name;
        if name.is_empty() { Reply::Nil } else { Reply::Bulk(name.clone()) }
    }

    pub(super) fn client_setname(&mut self, words: &[&[u8]]) -> Answer {
        let name = valid_name(words[0], self.store.shared().profile())?;
        self.connection.set_name(name);
        Ok(Reply::OK)
    }

    pub(super) fn client_setinfo(&mut self, words: &[&[u8]]) -> Answer {
        let (option, text) = (words[0], c_string(words[1]));
        let of = &mut self.connection;
        let told = if is(option, "lib-name") {
            &mut of.lib_name
        } else if is(option, "lib-ver") {
            &mut of.lib_ver
        } else {
            let option = shown(option, usize::MAX);
            let error: &[&[u8]] = &[b"ERR Unrecognized option '", option, b"'"];
            return Err(Error::showing(ErrorKind::Syntax, error));
        };
        if !is_plain(text) {
            let why = b" cannot contain spaces, newlines or special characters.";
            let error: &[&[u8]] = &[b"ERR ", shown(option, usize::MAX), why];
            return Err(Error::showing(ErrorKind::Syntax, error));
        }
        *told = Bytes::copy_from_slice(text);
        Ok(Reply::OK)
    }

    pub(super) fn client_no_evict(&mut self, words: &[&[u8]]) -> Answer {
        self.connection.no_evict = on_or_off(words[0])?;
        Ok(Reply::OK)
    }

    pub(super) fn client_no_touch(&mut self, words: &[&[u8]]) -> Answer {
        self.connection.no_touch = on_or_off(words[0])?;
        Ok(Reply::OK)
    }

    pub(super) fn client_info(&self) -> Answer {
        Ok(Reply::Verbatim(self.line("client|info")?))
    }

    /// Returns this session, as often as it is requested: a store keeps no list of its sessions.
    pub(super) fn client_list(&self, words: &[&[u8]]) -> Answer {
        let times = if self.store.shared().profile().filters_clients() {
            usize::from(self.passes(words)?)
        } else {
            self.times_asked_for(words)?
        };
        let line = self.line("client|list")?;
        Ok(Reply::Verbatim(line.repeat(times)))
    }

    /// How often CLIENT LIST returns this session: a type or ids may be given.
    fn times_asked_for(&self, words: &[&[u8]]) -> Result<usize> {
        match words {
            [] => Ok(1),
            [by, kind] if is(by, "type") => {
                Ok(is_normal(kind, self.store.shared().profile())?.into())
            }
            [by, ids @ ..] if is(by, "id") && !ids.is_empty() => {
                let id =
                    |word: &&[u8]| parse_int(word).ok_or_else(|| refused("ERR Invalid client ID"));
                let ids = ids.iter().map(id).collect::<Result<Vec<i64>>>()?;
                Ok(ids.into_iter().filter(|&id| self.has_id(id)).count())
            }
            _ => Err(Error::syntax()),
        }
    }

    /// Returns whether this session passes the filters of CLIENT LIST as Valkey parses them: any number, and the last
    /// one of each kind counts.
    fn passes(&self, words: &[&[u8]]) -> Result<bool> {
        let (mut by_type, mut by_id) = (true, None);
        let mut rest = words;
        while let Some((by, behind)) = rest.split_first() {
            if is(by, "type")
                && let Some((kind, behind)) = behind.split_first()
            {
                by_type = is_normal(kind, self.store.shared().profile())?;
                rest = behind;
            } else if is(by, "id") && words.len() > 1 {
                let found = by_id.get_or_insert(false);
                rest = behind;
                while let Some((id, behind)) = rest.split_first()
                    && let Some(id) = parse_int(id)
                {
                    if id < 1 {
                        return Err(refused("ERR client-id should be greater than 0"));
                    }
                    *found |= self.has_id(id);
                    rest = behind;
                }
            } else {
                return Err(Error::syntax());
            }
        }
        Ok(by_type && by_id.unwrap_or(true))
    }

    fn has_id(&self, id: i64) -> bool {
        u64::try_from(id).is_ok_and(|id| id == self.connection.id)
    }

    /// The line of CLIENT LIST for the session: the fields of a socket and its buffers are 0 or empty.
    fn line(&self, command: &str) -> Result<String> {
        let of = &self.connection;
        let text = |bytes: &[u8]| String::from_utf8_lossy(c_string(bytes)).into_owned();
        let shared = self.store.shared();
        let have_changed = self.watches.have_changed()?;
        let flags = self.flags(have_changed);
        let value = |field: &str| match field {
            "id" => of.id.to_string(),
            // As a server returns for clients without a socket.
            "addr" | "laddr" => "?:0".to_owned(),
            "fd" | "redir" => "-1".to_owned(),
            "name" => text(&of.name),
            "age" => shared.clock().coarse_secs().saturating_sub(of.begun).to_string(),
            "flags" => flags.clone(),
            "capa" | "events" => String::new(),
            "db" => self.store.db_number().to_string(),
            "multi" => self.executing.map_or_else(|| "-1".to_owned(), |count| count.to_string()),
            // On a server the watches end once a watched key has changed.
            "watch" if have_changed => "0".to_owned(),
            "watch" => self.watches.keys.len().to_string(),
            "cmd" if self.executing.is_some() => "exec".to_owned(),
            "cmd" => command.to_owned(),
            "user" => "default".to_owned(),
            "resp" => match self.protocol {
                Protocol::Resp2 => "2".to_owned(),
                Protocol::Resp3 => "3".to_owned(),
            },
            "lib-name" => text(&of.lib_name),
            "lib-ver" => text(&of.lib_ver),
            _ => "0".to_owned(),
        };
        let fields = shared.profile().client_fields().split_ascii_whitespace();
        let fields: Vec<_> = fields.map(|field| format!("{field}={}", value(field))).collect();
        Ok(fields.join(" ") + "\n")
    }

    /// The flags of the session, in a server's order: `N` if there are none.
    fn flags(&self, have_changed: bool) -> String {
        let letters = [
            (self.executing.is_some(), 'x'),
            (have_changed, 'd'),
            (self.connection.no_evict, 'e'),
            (self.connection.no_touch, 'T'),
        ];
        let flags: String =
            letters.iter().filter(|(is, _)| *is).map(|(_, letter)| letter).collect();
        if flags.is_empty() { "N".to_owned() } else { flags }
    }
}

/// Returns whether a type of clients is that of sessions.
fn is_normal(kind: &[u8], profile: Profile) -> Result<bool> {
    if is(kind, "normal") {
        return Ok(true);
    }
    let others = ["master", "slave", "replica", "pubsub"];
    if others.iter().any(|other| is(kind, other))
        || profile.filters_clients() && is(kind, "primary")
    {
        return Ok(false);
    }
    let error: &[&[u8]] = &[b"ERR Unknown client type '", shown(kind, usize::MAX), b"'"];
    Err(Error::showing(ErrorKind::Syntax, error))
}

/// Parses ON or OFF.
fn on_or_off(word: &[u8]) -> Result<bool> {
    if is(word, "on") {
        Ok(true)
    } else if is(word, "off") {
        Ok(false)
    } else {
        Err(Error::syntax())
    }
}
