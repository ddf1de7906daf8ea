//! From the attribute to the code.

use proc_macro::{TokenStream, TokenTree};

use crate::errors::Errors;
use crate::item::Function;
use crate::options::{Flavor, Options};

/// Which attribute it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Main,
    Test,
}

/// The item with a runtime around its body, or unchanged beside the errors if it is no function to run.
pub(crate) fn expand(entry: Entry, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let default = match entry {
        Entry::Main => Flavor::MultiThread,
        Entry::Test => Flavor::CurrentThread,
    };
    let options = Options::parse(args, default, &mut errors);
    let Some(function) = Function::parse(item.clone()) else {
        let span = item.clone().into_iter().next().map_or_else(proc_macro::Span::call_site, |token| token.span());
        errors.push(span, "expected an `async fn` with a body");
        return errors.into_tokens().into_iter().chain(item).collect();
    };
    if !check(entry, &function, &mut errors) {
        return errors.into_tokens().into_iter().chain(item).collect();
    }
    let body: TokenStream = function.inner().into_iter().chain(run(&function, options)).collect();
    let test: TokenStream = match entry {
        Entry::Main => TokenStream::new(),
        Entry::Test => parse("#[::core::prelude::v1::test]"),
    };
    errors.into_tokens().into_iter().chain(test).chain(function.outer(body)).collect()
}

/// Whether the function can be run at all.
fn check(entry: Entry, function: &Function, errors: &mut Errors) -> bool {
    let mut fits = true;
    if !function.is_async {
        errors.push(function.fn_span, "the `async` keyword is missing: write `async fn`");
        fits = false;
    }
    if !function.arguments.stream().is_empty() {
        let message = match entry {
            Entry::Main => "the main function takes no arguments",
            Entry::Test => "a test function takes no arguments",
        };
        errors.push(function.arguments.span(), message);
        fits = false;
    }
    if entry == Entry::Test {
        let second = ["test", "rustc_test_marker"];
        for attribute in function.attributes.iter().filter(|attribute| second.contains(&attribute.name.as_str())) {
            errors.push(attribute.span, "a second test attribute: it would run twice, remove one");
            fits = false;
        }
    }
    fits
}

/// The expression that builds the runtime and blocks on the function.
fn run(function: &Function, options: Options) -> TokenStream {
    let mut chain = match options.flavor {
        Flavor::MultiThread => "::runtime::Builder::new_multi_thread().enable_all()".to_owned(),
        Flavor::CurrentThread => "::runtime::Builder::new_current_thread().enable_all()".to_owned(),
    };
    if let Some(threads) = options.worker_threads {
        chain += &format!(".worker_threads({threads}usize)");
    }
    if let Some(paused) = options.start_paused {
        chain += &format!(".start_paused({paused})");
    }
    if let Some(advance) = options.auto_advance {
        chain += &format!(".auto_advance({advance})");
    }
    chain += ".build().expect(\"the runtime cannot be started\").block_on";
    let path = options.path.unwrap_or_else(|| parse("::wheelhouse"));
    let call: TokenStream = [TokenTree::from(function.name.clone())].into_iter().chain(parse("()")).collect();
    let call = proc_macro::Group::new(proc_macro::Delimiter::Parenthesis, call);
    path.into_iter().chain(parse(&chain)).chain([TokenTree::from(call)]).collect()
}

/// Tokens of a text of ours.
fn parse(text: &str) -> TokenStream {
    text.parse().expect("the text is Rust")
}
