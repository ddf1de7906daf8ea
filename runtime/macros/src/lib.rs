//! The attribute macros of wheelhouse.

use proc_macro::TokenStream;

/// Runs an `async fn main` on a runtime.
#[proc_macro_attribute]
pub fn main(_args: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Runs an `async fn` as a test, on a runtime of its own.
#[proc_macro_attribute]
pub fn test(_args: TokenStream, item: TokenStream) -> TokenStream {
    item
}
