//! What a node holds: its own or shared with another list, and compressed or not.

use std::sync::Arc;

use listpack::{ListPack, Validation};

/// Fewer bytes are not compressed ...
const LEAST_COMPRESSED: usize = 48;
/// ... nor are those that compression shortens by at most this many bytes.
const LEAST_SAVED: usize = 8;

#[derive(Clone)]
pub(crate) enum Form {
    Own(Held),
    /// It is shared with another list, so it must not change.
    Shared(Arc<Held>),
}

#[derive(Clone)]
pub(crate) enum Held {
    Packed(ListPack),
    Plain(Box<[u8]>),
    Compressed(Box<Compressed>),
}

impl Form {
    #[inline]
    pub(crate) fn held(&self) -> &Held {
        match self {
            Self::Own(held) => held,
            Self::Shared(held) => held,
        }
    }

    /// What was held, copied if another list has it too.
    pub(crate) fn into_held(self) -> Held {
        match self {
            Self::Own(held) => held,
            Self::Shared(held) => Arc::unwrap_or_clone(held),
        }
    }

    /// Makes what is held owned: copied if it is shared with another list.
    #[cold]
    pub(crate) fn part(&mut self) {
        *self = Self::Own(self.take().into_held());
    }

    /// Another form of what is held, which is shared from now on.
    pub(crate) fn share(&mut self) -> Self {
        let held = match self.take() {
            Self::Own(held) => Arc::new(held),
            Self::Shared(held) => held,
        };
        *self = Self::Shared(Arc::clone(&held));
        Self::Shared(held)
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Own(Held::Plain(Box::default())))
    }
}

/// An LZF stream.
#[derive(Clone)]
pub(crate) struct Compressed {
    pub(crate) stream: Box<[u8]>,
    /// The decompressed length, in bytes.
    pub(crate) len: u32,
    /// Whether the bytes are a listpack.
    pub(crate) packed: bool,
}

impl Compressed {
    /// Compresses the bytes; `None` if they do not get shorter by more than [`LEAST_SAVED`].
    pub(crate) fn of(plain: &[u8], packed: bool) -> Option<Self> {
        let len = u32::try_from(plain.len()).ok()?;
        if plain.len() < LEAST_COMPRESSED {
            return None;
        }
        let mut stream = Vec::new();
        let smaller = lzf::compress(plain, plain.len(), &mut stream)
            && stream.len() + LEAST_SAVED < plain.len();
        smaller.then(|| Self { stream: stream.into(), len, packed })
    }

    /// The bytes.
    pub(crate) fn expand(&self) -> Vec<u8> {
        let plain = lzf::decompress(&self.stream, self.len.into());
        debug_assert!(plain.is_ok(), "the stream was compressed by this crate");
        plain.unwrap_or_default()
    }

    /// The listpack that the bytes are.
    pub(crate) fn expand_list(&self) -> ListPack {
        ListPack::from_bytes(self.expand(), Validation::Shallow).unwrap_or_default()
    }
}
