//! The format of a log.

/// What the lines of a log are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Format {
    /// Common or Combined Log Format; a virtual host before it is recognised where it is beyond doubt
    #[default]
    Auto,
    /// Common or Combined Log Format, the host first
    Common,
    /// The same behind a virtual host and a space
    Vhost,
    /// An object of JSON each, with --by and --time
    Json,
}
