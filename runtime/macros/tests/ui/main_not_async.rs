#[wheelhouse_macros::main]
fn main() {}
