//! Tests of the core, against its own interface.

mod against_model;
mod stress;
