//! The function an attribute stands on, taken apart as far as the macros need it.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// A function, in the order of its parts.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    visibility: Vec<TokenTree>,
    /// `const`, `unsafe`, `extern "C"`: everything between the visibility and `fn`, but for `async`.
    qualifiers: Vec<TokenTree>,
    pub(crate) is_async: bool,
    pub(crate) fn_span: Span,
    pub(crate) name: Ident,
    generics: Vec<TokenTree>,
    pub(crate) arguments: Group,
    /// The return type and the where clause.
    result: Vec<TokenTree>,
    body: Group,
}

/// `#[path ...]`.
pub(crate) struct Attribute {
    tokens: [TokenTree; 2],
    pub(crate) span: Span,
    /// The last name of its path.
    pub(crate) name: String,
}

impl Function {
    /// `None` if the tokens are no function with a body.
    pub(crate) fn parse(item: TokenStream) -> Option<Self> {
        let mut tokens = flatten(item).into_iter().peekable();
        let mut attributes = Vec::new();
        while let Some(hash) = tokens.next_if(|token| is_punct(token, '#')) {
            let TokenTree::Group(content) = tokens.next()? else { return None };
            attributes.push(Attribute::new(hash, content));
        }
        let mut visibility = Vec::new();
        if let Some(public) = tokens.next_if(|token| is_ident(token, "pub")) {
            visibility.push(public);
            visibility.extend(tokens.next_if(|token| is_group(token, Delimiter::Parenthesis)));
        }
        let (mut qualifiers, mut is_async) = (Vec::new(), false);
        let fn_span = loop {
            match tokens.next()? {
                token if is_ident(&token, "fn") => break token.span(),
                token if is_ident(&token, "async") => is_async = true,
                token @ (TokenTree::Ident(_) | TokenTree::Literal(_)) => qualifiers.push(token),
                _ => return None,
            }
        };
        let TokenTree::Ident(name) = tokens.next()? else { return None };
        let mut generics = Vec::new();
        let arguments = loop {
            match tokens.next()? {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis && is_closed(&generics) => {
                    break group;
                }
                token => generics.push(token),
            }
        };
        let mut result: Vec<TokenTree> = tokens.collect();
        match result.pop()? {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => Some(Self {
                attributes,
                visibility,
                qualifiers,
                is_async,
                fn_span,
                name,
                generics,
                arguments,
                result,
                body,
            }),
            _ => None,
        }
    }

    /// The function as it was written, but for its attributes and visibility.
    pub(crate) fn inner(&self) -> TokenStream {
        let is_async = self.is_async.then(|| Ident::new("async", self.fn_span).into());
        is_async.into_iter().chain(self.signature()).chain([self.body.clone().into()]).collect()
    }

    /// The same function, no longer `async`, around another body.
    pub(crate) fn outer(&self, body: TokenStream) -> TokenStream {
        let mut body = Group::new(Delimiter::Brace, body);
        body.set_span(self.body.span());
        let attributes = self.attributes.iter().flat_map(|attribute| attribute.tokens.clone());
        attributes.chain(self.visibility.clone()).chain(self.signature()).chain([body.into()]).collect()
    }

    fn signature(&self) -> impl Iterator<Item = TokenTree> {
        let start = [Ident::new("fn", self.fn_span).into(), self.name.clone().into()];
        (self.qualifiers.iter().cloned())
            .chain(start)
            .chain(self.generics.iter().cloned())
            .chain([self.arguments.clone().into()])
            .chain(self.result.iter().cloned())
    }
}

impl Attribute {
    fn new(hash: TokenTree, content: Group) -> Self {
        let mut name = String::new();
        for token in content.stream() {
            match token {
                TokenTree::Ident(ident) => name = ident.to_string(),
                TokenTree::Punct(punct) if punct.as_char() == ':' => {}
                _ => break,
            }
        }
        let span = content.span();
        Self { tokens: [hash, content.into()], span, name }
    }
}

/// The tokens without the invisible groups that `macro_rules!` fragments leave around what they matched.
pub(crate) fn flatten(tokens: TokenStream) -> Vec<TokenTree> {
    let mut flat = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => flat.extend(flatten(group.stream())),
            token => flat.push(token),
        }
    }
    flat
}

pub(crate) fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == name)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// Whether every `<` of the generics has its `>`; the `>` of an arrow does not count.
fn is_closed(generics: &[TokenTree]) -> bool {
    let mut depth = 0;
    let mut before = ' ';
    for token in generics {
        let char = match token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        match char {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = char;
    }
    depth == 0
}
