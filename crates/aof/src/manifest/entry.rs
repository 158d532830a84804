//! A line of the manifest.

use super::Manifest;

/// The role of a file in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The data at the time of the last rewrite.
    Base,
    /// A file that a rewrite has replaced. It is not loaded, and should be removed.
    History,
    /// Commands since the base.
    Increment,
}

impl Kind {
    pub(super) const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'b' => Some(Self::Base),
            b'h' => Some(Self::History),
            b'i' => Some(Self::Increment),
            _ => None,
        }
    }

    const fn letter(self) -> u8 {
        match self {
            Self::Base => b'b',
            Self::History => b'h',
            Self::Increment => b'i',
        }
    }
}

/// The format of a base file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BaseFormat {
    /// An RDB file, `.base.rdb`: `aof-use-rdb-preamble yes`.
    #[default]
    Rdb,
    /// Commands, `.base.aof`.
    Commands,
}

/// A file of the log, as listed in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) sequence: i64,
    pub(super) kind: Kind,
}

impl Entry {
    /// The name of the file, in the directory of the manifest. It is not empty, not `.` or `..`, and has no `/`, `\` or
    /// NUL.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The sequence number among the bases, or among the increments.
    #[must_use]
    pub const fn sequence(&self) -> i64 {
        self.sequence
    }

    /// What the file is to the log.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Appends the line.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"file ");
        if self.name.iter().all(|&byte| is_plain(byte)) {
            out.extend_from_slice(&self.name);
        } else {
            resp::quote_word(&self.name, out);
        }
        out.extend_from_slice(b" seq ");
        out.extend_from_slice(itoa::Buffer::new().format(self.sequence).as_bytes());
        out.extend_from_slice(b" type ");
        out.extend_from_slice(&[self.kind.letter(), b'\n']);
    }

    /// Whether the line can be read back.
    pub(super) fn fits(&self) -> bool {
        let mut line = Vec::new();
        self.write(&mut line);
        line.len() <= Manifest::MAX_LINE
    }
}

/// Whether a name is one in the folder itself.
pub(super) fn is_file_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, b'/' | b'\\' | 0))
}

/// Whether a byte of a name needs no quotes. Redis writes an apostrophe without, too, and cannot read the line again.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\')
}
