//! RDB files and DUMP payloads.
