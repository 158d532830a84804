//! Plots in SVG, all in one style.
//!
//! A [`Chart`] has a title, two [`Axis`]es and some [`Series`]. The legend is between the title and the plot, so that
//! it hides no curve. The colours are those of Okabe and Ito, which colour-blind people can distinguish, and each kind
//! of mark has another shape, too.

mod axis;
mod calendar;
mod chart;
mod file;

pub use axis::Axis;
pub(crate) use calendar::Unit;
pub use chart::{Chart, Mark, Series, Shape, colour, escaped};
pub(crate) use file::write;
