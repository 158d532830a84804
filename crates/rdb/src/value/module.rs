//! Values of modules, which can be passed over without the module.
//!
//! A module's value is its id, tagged parts and an end tag. Tags are lengths:
//!
//! ```text
//! id | 1 length (signed) | 2 length (unsigned) | 3 f32 | 4 f64 | 5 string | ... | 0
//! ```

use std::{fmt, io::Read};

use crate::{
    error::{Error, ErrorKind},
    length,
    source::Source,
    string,
};

const END: u64 = 0;
const SIGNED: u64 = 1;
const UNSIGNED: u64 = 2;
const FLOAT: u64 = 3;
const DOUBLE: u64 = 4;
const STRING: u64 = 5;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const NAME_LEN: usize = 9;
const VERSION_BITS: u32 = 10;

/// The id of a module's type: a name of nine characters, six bits each, and the version of its
/// encoding in the low ten bits.
///
/// ```
/// let id = rdb::ModuleId::from_bits(0x3016_e5a2_89be_f804);
/// assert_eq!((id.name(), id.version()), (*b"MBbloom--", 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModuleId(u64);

impl ModuleId {
    /// The id as it is stored.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The number that is stored.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The type's name, of `A-Z a-z 0-9 - _`.
    #[must_use]
    pub fn name(self) -> [u8; NAME_LEN] {
        let mut rest = self.0 >> VERSION_BITS;
        let mut name = [0; NAME_LEN];
        for letter in name.iter_mut().rev() {
            #[expect(clippy::indexing_slicing, reason = "six bits index 64 letters")]
            {
                *letter = ALPHABET[(rest & 0x3f) as usize];
            }
            rest >>= 6;
        }
        name
    }

    /// The version of the type's encoding.
    #[must_use]
    pub const fn version(self) -> u16 {
        (self.0 & ((1 << VERSION_BITS) - 1)) as u16
    }
}

impl fmt::Debug for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModuleId({} {})", self.name().escape_ascii(), self.version())
    }
}

pub(crate) fn read_id<R: Read>(source: &mut Source<R>) -> Result<ModuleId, Error> {
    length::read(source).map(ModuleId)
}

/// Passes over the parts up to and including the end tag.
pub(crate) fn walk_parts<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    loop {
        let at = source.offset();
        match length::read(source)? {
            END => return Ok(()),
            SIGNED | UNSIGNED => drop(length::read(source)?),
            FLOAT => drop(source.array::<4>()?),
            DOUBLE => drop(source.array::<8>()?),
            STRING => string::walk(source)?,
            tag => return Err(Error::new(at, ErrorKind::BadModulePart(tag))),
        }
    }
}

/// Passes over what a module stores beside the keys: id, when it was written, parts.
pub(crate) fn walk_aux<R: Read>(source: &mut Source<R>) -> Result<ModuleId, Error> {
    let id = read_id(source)?;
    let at = source.offset();
    match length::read(source)? {
        UNSIGNED => {}
        tag => return Err(Error::new(at, ErrorKind::BadModulePart(tag))),
    }
    length::read(source)?;
    walk_parts(source)?;
    Ok(id)
}

/// Checks that bytes are what [`walk_aux`] passes over, and nothing more.
pub(crate) fn check_aux(body: &[u8]) -> Result<(), Error> {
    let mut source = Source::new(body, Some(body.len() as u64), false);
    walk_aux(&mut source)?;
    source.check_end()
}
