//! Owned members, such as the names of visitors, for futures.

use store::{Member, ToMember, ToMembers};

use crate::text::Text;

/// An owned member.
///
/// [`ToMember`] passes a borrowed member to a closure, which cannot await a backend. Blocking calls run in the closure;
/// a future owns the member in this type.
#[derive(Debug)]
pub(crate) enum Held {
    Int(i64),
    Bytes(Text),
}

impl Held {
    pub(crate) fn new(member: impl ToMember) -> Self {
        member.with_member(Self::copy)
    }

    /// Converts members, in order.
    pub(crate) fn all(members: impl ToMembers) -> Vec<Self> {
        members.with_members(|members| members.iter().copied().map(Self::copy).collect())
    }

    fn copy(member: Member<'_>) -> Self {
        match member {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => Self::Bytes(Text::from_slice(bytes)),
        }
    }

    pub(crate) fn as_member(&self) -> Member<'_> {
        match self {
            Self::Int(number) => Member::Int(*number),
            Self::Bytes(bytes) => Member::Bytes(bytes),
        }
    }
}

/// Returns the members as arguments.
pub(crate) fn members(held: &[Held]) -> Vec<Member<'_>> {
    held.iter().map(Held::as_member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_members_equal_their_sources() {
        let long = "x".repeat(100);
        let held = Held::all([Member::Int(7), Member::Bytes(b"seven"), Member::from(&long)]);
        let texts: Vec<_> = members(&held).iter().map(|member| member.to_bytes()).collect();
        assert_eq!(texts, [b"7", &b"seven"[..], long.as_bytes()]);
        for one in [Held::new(u64::MAX), Held::new(0.5), Held::new('x'), Held::new("x")] {
            assert!(matches!(one.as_member(), Member::Bytes(_)), "{one:?}");
        }
        assert!(matches!(Held::new(7_u64).as_member(), Member::Int(7)));
    }
}
