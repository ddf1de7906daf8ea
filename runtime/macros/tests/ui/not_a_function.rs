#[wheelhouse_macros::main]
struct Entry;

trait Trait {
    #[wheelhouse_macros::test]
    async fn without_a_body();
}

fn main() {}
