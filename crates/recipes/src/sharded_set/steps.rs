//! What a sharded set asks of whoever holds its shards.

use bytes::Bytes;

use crate::commands::SetCommands;
use crate::error::Error;
use crate::member::Member;
use crate::store::Store;

/// The steps that a [`ShardedSet`](super::ShardedSet) needs, each one command and atomic.
///
/// Those on several keys get the shards of one number of several sets, never shards of two numbers: on a cluster the sets
/// can be named so that these lie together.
pub trait SetSteps {
    /// SADD of one member: whether it is new.
    ///
    /// # Errors
    ///
    /// Whatever SADD answers.
    fn add(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error>;

    /// SREM of one member: whether it was there.
    ///
    /// # Errors
    ///
    /// Whatever SREM answers.
    fn remove(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error>;

    /// SISMEMBER.
    ///
    /// # Errors
    ///
    /// Whatever SISMEMBER answers.
    fn contains(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error>;

    /// SCARD.
    ///
    /// # Errors
    ///
    /// Whatever SCARD answers.
    fn card(&self, key: &[u8]) -> Result<u64, Error>;

    /// SMEMBERS.
    ///
    /// # Errors
    ///
    /// Whatever SMEMBERS answers.
    fn members(&self, key: &[u8]) -> Result<Vec<Bytes>, Error>;

    /// SINTER.
    ///
    /// # Errors
    ///
    /// Whatever SINTER answers.
    fn inter(&self, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error>;

    /// SUNION.
    ///
    /// # Errors
    ///
    /// Whatever SUNION answers.
    fn union(&self, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error>;

    /// SDIFF.
    ///
    /// # Errors
    ///
    /// Whatever SDIFF answers.
    fn diff(&self, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error>;

    /// SINTERCARD without a limit.
    ///
    /// # Errors
    ///
    /// Whatever SINTERCARD answers.
    fn inter_card(&self, keys: &[&[u8]]) -> Result<u64, Error>;

    /// SINTERSTORE: how many members the target has now.
    ///
    /// # Errors
    ///
    /// Whatever SINTERSTORE answers.
    fn inter_store(&self, target: &[u8], keys: &[&[u8]]) -> Result<u64, Error>;

    /// SUNIONSTORE: how many members the target has now.
    ///
    /// # Errors
    ///
    /// Whatever SUNIONSTORE answers.
    fn union_store(&self, target: &[u8], keys: &[&[u8]]) -> Result<u64, Error>;

    /// SDIFFSTORE: how many members the target has now.
    ///
    /// # Errors
    ///
    /// Whatever SDIFFSTORE answers.
    fn diff_store(&self, target: &[u8], keys: &[&[u8]]) -> Result<u64, Error>;
}

impl SetSteps for Store {
    fn add(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error> {
        Ok(self.sadd(key, [member])? == 1)
    }

    fn remove(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error> {
        Ok(self.srem(key, [member])? == 1)
    }

    fn contains(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error> {
        self.sismember(key, member)
    }

    fn card(&self, key: &[u8]) -> Result<u64, Error> {
        Ok(self.scard(key)? as u64)
    }

    fn members(&self, key: &[u8]) -> Result<Vec<Bytes>, Error> {
        self.smembers(key)
    }

    fn inter(&self, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error> {
        self.sinter(keys)
    }

    fn union(&self, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error> {
        self.sunion(keys)
    }

    fn diff(&self, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error> {
        self.sdiff(keys)
    }

    fn inter_card(&self, keys: &[&[u8]]) -> Result<u64, Error> {
        Ok(self.sintercard(keys, 0)? as u64)
    }

    fn inter_store(&self, target: &[u8], keys: &[&[u8]]) -> Result<u64, Error> {
        Ok(self.sinterstore(target, keys)? as u64)
    }

    fn union_store(&self, target: &[u8], keys: &[&[u8]]) -> Result<u64, Error> {
        Ok(self.sunionstore(target, keys)? as u64)
    }

    fn diff_store(&self, target: &[u8], keys: &[&[u8]]) -> Result<u64, Error> {
        Ok(self.sdiffstore(target, keys)? as u64)
    }
}
