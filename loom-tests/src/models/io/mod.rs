//! Models of the io races.
