#[wheelhouse_macros::test]
#[test]
async fn marked_again() {}

#[wheelhouse_macros::test]
async fn test_with_arguments(_argument: u32) {}

#[wheelhouse_macros::test]
fn test_that_is_not_async() {}

fn main() {}
