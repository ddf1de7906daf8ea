//! The options in an attribute's parentheses.

use proc_macro::{Ident, Span, TokenStream, TokenTree};

use crate::errors::Errors;
use crate::item::{flatten, is_punct};

const KNOWN: &str = "`flavor`, `worker_threads`, `start_paused`, `auto_advance`, `crate`";

/// Which scheduler runs the function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavor {
    CurrentThread,
    MultiThread,
}

/// What the options say; the defaults where they say nothing.
pub(crate) struct Options {
    pub(crate) flavor: Flavor,
    pub(crate) worker_threads: Option<usize>,
    pub(crate) start_paused: Option<bool>,
    pub(crate) auto_advance: Option<bool>,
    /// The path of the crate, as tokens.
    pub(crate) path: Option<TokenStream>,
}

/// One `name = value`.
struct Entry {
    name: Ident,
    value: Vec<TokenTree>,
}

impl Options {
    /// What is wrong goes to `errors`, and the default stands in for it.
    pub(crate) fn parse(tokens: TokenStream, default: Flavor, errors: &mut Errors) -> Self {
        let mut options =
            Self { flavor: default, worker_threads: None, start_paused: None, auto_advance: None, path: None };
        let mut threads_at = None;
        let mut seen: Vec<String> = Vec::new();
        for Entry { name, value } in entries(tokens, errors) {
            let key = name.to_string();
            if seen.contains(&key) {
                errors.push(name.span(), &format!("`{key}` is set twice"));
                continue;
            }
            let span = value.first().map_or(name.span(), TokenTree::span);
            let result = match key.as_str() {
                "flavor" => flavor(&value).map(|flavor| options.flavor = flavor),
                "worker_threads" => {
                    threads_at = Some(name.span());
                    threads(&value).map(|threads| options.worker_threads = Some(threads))
                }
                "start_paused" => boolean(&key, &value).map(|paused| options.start_paused = Some(paused)),
                "auto_advance" => boolean(&key, &value).map(|advance| options.auto_advance = Some(advance)),
                "crate" => path(&value).map(|path| options.path = Some(path)),
                _ => {
                    errors.push(name.span(), &format!("unknown option `{key}`, expected one of {KNOWN}"));
                    continue;
                }
            };
            seen.push(key);
            if let Err(message) = result {
                errors.push(span, &message);
            }
        }
        options.check_threads(threads_at, default, errors);
        options
    }

    fn check_threads(&mut self, threads_at: Option<Span>, default: Flavor, errors: &mut Errors) {
        let (Some(span), Flavor::CurrentThread) = (threads_at, self.flavor) else { return };
        let message = match default {
            Flavor::CurrentThread => {
                "`worker_threads` needs `flavor = \"multi_thread\"`: the default here has one thread"
            }
            Flavor::MultiThread => {
                "`worker_threads` cannot be set with `flavor = \"current_thread\"`, which has one thread"
            }
        };
        errors.push(span, message);
        self.worker_threads = None;
    }
}

/// Splits `name = value, name = value`.
fn entries(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    let tokens = flatten(tokens);
    for entry in tokens.split(|token| is_punct(token, ',')) {
        match entry {
            [] => {}
            [TokenTree::Ident(name), equals, value @ ..] if is_punct(equals, '=') && !value.is_empty() => {
                entries.push(Entry { name: name.clone(), value: value.to_vec() });
            }
            [TokenTree::Ident(name), ..] => {
                errors.push(name.span(), &format!("expected a value: `{name} = ...`"));
            }
            [other, ..] => errors.push(other.span(), &format!("expected an option, one of {KNOWN}")),
        }
    }
    entries
}

fn flavor(value: &[TokenTree]) -> Result<Flavor, String> {
    match string(value).as_deref() {
        Some("multi_thread") => Ok(Flavor::MultiThread),
        Some("current_thread") => Ok(Flavor::CurrentThread),
        Some(other) => {
            Err(format!("unknown flavor `{other}`, expected one of `\"multi_thread\"`, `\"current_thread\"`"))
        }
        None => Err("`flavor` takes a string, one of `\"multi_thread\"`, `\"current_thread\"`".to_owned()),
    }
}

fn threads(value: &[TokenTree]) -> Result<usize, String> {
    let number = match value {
        [TokenTree::Literal(literal)] => {
            let text = literal.to_string().replace('_', "");
            text.strip_suffix("usize").unwrap_or(&text).parse().ok()
        }
        _ => None,
    };
    match number {
        Some(0) => Err("`worker_threads` must be at least 1".to_owned()),
        Some(number) => Ok(number),
        None => Err("`worker_threads` takes a number".to_owned()),
    }
}

fn boolean(key: &str, value: &[TokenTree]) -> Result<bool, String> {
    match value {
        [TokenTree::Ident(ident)] if ident.to_string() == "true" => Ok(true),
        [TokenTree::Ident(ident)] if ident.to_string() == "false" => Ok(false),
        _ => Err(format!("`{key}` takes `true` or `false`")),
    }
}

/// A path in quotes or as it is.
fn path(value: &[TokenTree]) -> Result<TokenStream, String> {
    let is_path = |tokens: &[TokenTree]| {
        tokens.iter().any(|token| matches!(token, TokenTree::Ident(_)))
            && tokens.iter().all(|token| matches!(token, TokenTree::Ident(_)) || is_punct(token, ':'))
    };
    let problem = || "`crate` takes the path of the wheelhouse crate: `crate = \"renamed\"`".to_owned();
    let [TokenTree::Literal(literal)] = value else {
        return if is_path(value) { Ok(value.iter().cloned().collect()) } else { Err(problem()) };
    };
    let tokens: TokenStream = string(value).and_then(|text| text.parse().ok()).ok_or_else(problem)?;
    let spanned: Vec<TokenTree> = tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(literal.span());
            token
        })
        .collect();
    if is_path(&spanned) { Ok(spanned.into_iter().collect()) } else { Err(problem()) }
}

/// The content of one plain string literal.
fn string(value: &[TokenTree]) -> Option<String> {
    let [TokenTree::Literal(literal)] = value else { return None };
    let text = literal.to_string();
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}
