//! Runnable programs, each doing something real: see the `examples/` folder of this package.
