//! The names of encodings.

use super::kind::ValueType;

impl ValueType {
    /// The encoding of the value, by the names of OBJECT ENCODING, including those of older servers. It is `string` for
    /// every string, and `module` for a value of a module.
    ///
    /// ```
    /// use rdb::ValueType;
    /// assert_eq!(ValueType::SetIntset.encoding(), "intset");
    /// assert_eq!(ValueType::Set.encoding(), "hashtable");
    /// assert_eq!(ValueType::HashZipmap.encoding(), "zipmap");
    /// ```
    #[must_use]
    pub fn encoding(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::List => "linkedlist",
            Self::Set
            | Self::Hash
            | Self::HashTtlPreRelease
            | Self::HashTtl
            | Self::ValkeyHashTtl => "hashtable",
            Self::ZSetText | Self::ZSet => "skiplist",
            Self::Module => "module",
            Self::HashZipmap => "zipmap",
            Self::ListZiplist | Self::ZSetZiplist | Self::HashZiplist => "ziplist",
            Self::SetIntset => "intset",
            Self::ListQuicklist | Self::ListQuicklist2 => "quicklist",
            Self::HashListpack | Self::ZSetListpack | Self::SetListpack => "listpack",
            Self::HashTtlListpack | Self::HashTtlListpackPreRelease => "listpackex",
            Self::Stream1 | Self::Stream2 | Self::Stream3 | Self::Stream4 => "stream",
        }
    }
}
