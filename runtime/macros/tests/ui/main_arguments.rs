#[wheelhouse_macros::main]
async fn entry(_arguments: u32) {}

fn main() {}
