//! What the macros refuse is refused at the right place.

#[test]
fn misuse_is_refused_where_it_stands() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
