//! Names of visitors that a future holds.

use store::{Member, ToMember};

use crate::text::Text;

/// The name of a visitor. A [`ToMember`] hands its member to a function, which cannot wait; this is held while a future does.
pub(super) enum Held {
    Int(i64),
    Bytes(Text),
}

impl Held {
    pub(super) fn new(user: impl ToMember) -> Self {
        user.with_member(|user| match user {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => Self::Bytes(Text::from_slice(bytes)),
        })
    }

    pub(super) fn member(&self) -> Member<'_> {
        match self {
            Self::Int(number) => Member::Int(*number),
            Self::Bytes(bytes) => Member::Bytes(bytes),
        }
    }
}
