//! The format of a log.

/// The format of the lines of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Format {
    /// Common or Combined Log Format; a virtual host before it is recognised if it is unambiguous
    #[default]
    Auto,
    /// Common or Combined Log Format, starting with the host
    Common,
    /// As common, after a virtual host and a space
    Vhost,
    /// One JSON object per line, with --by and --time
    Json,
}
