//! The attribute macros of [wheelhouse](https://docs.rs/wheelhouse), which re-exports them: use them from there.
//!
//! They need no parser beyond the compiler's own tokens, so that a program which uses them builds nothing else.

mod errors;
mod expand;
mod item;
mod options;

use proc_macro::TokenStream;

use expand::{Entry, expand};

/// Runs an `async fn main` on a runtime.
///
/// | option | value | default |
/// | --- | --- | --- |
/// | `flavor` | `"multi_thread"` or `"current_thread"` | `"multi_thread"` |
/// | `worker_threads` | a number, at least 1; multi-thread only | the builder's |
/// | `start_paused` | whether the clock starts paused | `false` |
/// | `auto_advance` | whether a paused clock advances by itself | `true` |
/// | `crate` | the path of the wheelhouse crate, when it is renamed | `"::wheelhouse"` |
///
/// The function may return whatever `fn main` may. When it returns, the runtime is dropped: its tasks are cancelled and
/// the polls that run are waited for, blocking tasks for half a second at most: a process does not live on for one.
///
/// # Errors
///
/// A function that is not `async` or takes arguments, an unknown option, an option set twice, a value that does not fit
/// and `worker_threads` beside the current-thread flavour do not compile.
///
/// # Panics
///
/// When the runtime cannot be started, for want of threads or descriptors. Build it with `runtime::Builder` to handle
/// that.
#[proc_macro_attribute]
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(Entry::Main, args, item)
}

/// Runs an `async fn` as a test, on a runtime of its own.
///
/// The options are those of [`macro@main`], but the default flavour is `"current_thread"`, so `worker_threads` needs
/// `flavor = "multi_thread"`. Other attributes stay: `#[should_panic]`, `#[ignore]`, `#[cfg]`. The function may return
/// whatever a test may, a `Result` for one.
///
/// # Errors
///
/// As [`macro@main`]; a second test attribute on the function does not compile either.
///
/// # Panics
///
/// The test fails when the runtime cannot be started.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(Entry::Test, args, item)
}
