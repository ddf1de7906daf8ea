//! Compile errors at the right place.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Errors gathered while a macro runs, so that all of them are reported at once.
#[derive(Default)]
pub(crate) struct Errors(TokenStream);

impl Errors {
    pub(crate) fn push(&mut self, span: Span, message: &str) {
        self.0.extend(compile_error(span, message));
    }

    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0
    }
}

/// `::core::compile_error! { "message" }`, every token of which stands at `span`.
fn compile_error(span: Span, message: &str) -> TokenStream {
    let mut tokens: Vec<TokenTree> = Vec::new();
    for name in ["core", "compile_error"] {
        tokens.push(Punct::new(':', Spacing::Joint).into());
        tokens.push(Punct::new(':', Spacing::Alone).into());
        tokens.push(Ident::new(name, span).into());
    }
    tokens.push(Punct::new('!', Spacing::Alone).into());
    let message = TokenTree::from(Literal::string(message));
    tokens.push(Group::new(Delimiter::Brace, respan([message], span).collect()).into());
    respan(tokens, span).collect()
}

fn respan(tokens: impl IntoIterator<Item = TokenTree>, span: Span) -> impl Iterator<Item = TokenTree> {
    tokens.into_iter().map(move |mut token| {
        token.set_span(span);
        token
    })
}
