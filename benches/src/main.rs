//! Side-by-side comparison of wheelhouse, tokio and smol.

fn main() {}
