//! Models of the time races.
