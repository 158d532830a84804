//! Plots, drawn as SVG: one look for all of them.
//!
//! A [`Chart`] is a title, two [`Axis`]es and some [`Series`]. The legend stands between title and picture, where no
//! curve comes. Colours are those of Okabe and Ito, which colour-blind people can distinguish, and each kind of mark
//! has a form of its own besides.

mod axis;
mod calendar;
mod chart;
mod file;

pub use axis::Axis;
pub(crate) use calendar::Unit;
pub use chart::{Chart, Mark, Series, Shape, colour, escaped};
pub(crate) use file::write;
