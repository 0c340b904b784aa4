//! The paths in the tokens of an item that lead to the root or through it.
//!
//! Tokens are searched, not syntax trees, so that paths in arguments of macros, in macros
//! themselves and in bodies of functions are found as well; so are paths in string arguments of
//! attributes (`#[serde(with = "crate::serial::point")]`).

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// Something found in tokens.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A path that leads to this name directly below the root.
    Name(String),
    /// Code that cannot be followed, and why.
    Refused(String),
}

/// The paths in tokens inside of the module `own` (the names from the root down).
pub(crate) fn in_tokens(tokens: TokenStream, own: &[String]) -> Vec<Found> {
    let mut search = Search { own: own.to_vec(), found: Vec::new() };
    search.tokens(tokens, false);
    search.found
}

struct Search {
    /// The module whose code is searched.
    own: Vec<String>,
    found: Vec<Found>,
}

impl Search {
    fn refuse(&mut self, what: impl Into<String>) {
        self.found.push(Found::Refused(what.into()));
    }

    fn tokens(&mut self, tokens: TokenStream, in_attribute: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = match &tokens[at] {
                TokenTree::Group(group) => {
                    self.tokens(group.stream(), in_attribute);
                    at + 1
                }
                TokenTree::Punct(p) if p.as_char() == '#' => self.attribute(&tokens, at),
                TokenTree::Literal(literal) if in_attribute => {
                    self.text(&literal.to_string());
                    at + 1
                }
                TokenTree::Ident(word) => self.word(word, &tokens, at),
                _ => at + 1,
            };
        }
    }

    /// Searches the attribute that may begin at `at`, and returns where it ends.
    fn attribute(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let at = at + 1 + usize::from(is_punct(tokens.get(at + 1), '!'));
        let Some(TokenTree::Group(group)) = tokens.get(at) else { return at };
        if group.delimiter() != Delimiter::Bracket {
            return at;
        }
        let first = group.stream().into_iter().next();
        match first {
            Some(TokenTree::Ident(word)) if word == "doc" => {}
            Some(TokenTree::Ident(word)) if word == "macro_export" => {
                self.refuse("`macro_export` puts a macro at the root; use `pub(crate) use`");
            }
            _ => self.tokens(group.stream(), true),
        }
        at + 1
    }

    /// A literal in an attribute. If it is a string with a path, the path is followed.
    fn text(&mut self, literal: &str) {
        let Ok(text) = syn::parse_str::<syn::LitStr>(literal) else { return };
        let text = text.value();
        if ["crate::", "super::", "self::"].iter().any(|head| text.contains(head)) {
            match text.parse::<TokenStream>() {
                Ok(tokens) => self.tokens(tokens, false),
                Err(_) => self.refuse(format!("the attribute `{text}` cannot be read")),
            }
        }
    }

    /// Searches what begins with a word, and returns where to continue.
    fn word(&mut self, word: &Ident, tokens: &[TokenTree], at: usize) -> usize {
        let next = tokens.get(at + 1);
        match word.to_string().as_str() {
            // `use<...>` is a bound.
            "use" if !is_punct(next, '<') => {
                let length = tokens[at..].iter().position(|t| is_punct(Some(t), ';'));
                let end = at + length.unwrap_or(tokens.len() - at);
                self.imports(&tokens[at + 1..end], &Path::default());
                end
            }
            "extern" if is_word(next, "crate") && is_word(tokens.get(at + 2), "self") => {
                self.refuse("`extern crate self` gives the root another name");
                at + 3
            }
            "extern" if is_word(next, "crate") => at + 2,
            "include" if is_punct(next, '!') => {
                self.refuse("code in a file that `include!` names is not searched");
                at + 1
            }
            "mod" => match (next, tokens.get(at + 2)) {
                (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) => {
                    self.own.push(name.to_string());
                    self.tokens(body.stream(), false);
                    self.own.pop();
                    at + 3
                }
                _ => {
                    self.refuse("a module in a function or a macro cannot be followed");
                    at + 1
                }
            },
            "crate" | "super" | "self" if separated(tokens, at + 1) => self.path(tokens, at),
            _ => at + 1,
        }
    }

    /// Follows the path at `at` outside of a `use`, and returns where it ends.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize) -> usize {
        let mut path = Path::default();
        while let Some(TokenTree::Ident(word)) = tokens.get(at) {
            path.names.push(word.unraw().to_string());
            at += 1;
            if !separated(tokens, at) {
                break;
            }
            at += 2;
        }
        match tokens.get(at) {
            // Lists and globs outside of a `use` are arguments of a macro that makes one of them.
            Some(TokenTree::Group(group)) if separated(tokens, at.saturating_sub(2)) => {
                self.import_list(group.stream(), &path);
                at + 1
            }
            Some(TokenTree::Punct(p))
                if p.as_char() == '*' && separated(tokens, at.saturating_sub(2)) =>
            {
                self.import(&path);
                at + 1
            }
            _ => {
                if let Some(name) = self.resolve(&path).and_then(|p| p.into_iter().next()) {
                    self.found.push(Found::Name(name));
                }
                at
            }
        }
    }

    fn import_list(&mut self, list: TokenStream, before: &Path) {
        let list: Vec<TokenTree> = list.into_iter().collect();
        self.imports(&list, before);
    }

    /// The trees of a `use`, separated by commas, behind the names before them.
    fn imports(&mut self, trees: &[TokenTree], before: &Path) {
        for tree in trees.split(|t| is_punct(Some(t), ',')).filter(|tree| !tree.is_empty()) {
            self.tree(tree, before);
        }
    }

    fn tree(&mut self, tree: &[TokenTree], before: &Path) {
        // `$crate` in a macro, and `::name`, which is another crate.
        let mut at = usize::from(is_punct(tree.first(), '$') && is_word(tree.get(1), "crate"));
        if separated(tree, 0) {
            return;
        }
        let mut path = before.clone();
        loop {
            match tree.get(at) {
                Some(TokenTree::Ident(word)) => path.names.push(word.unraw().to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    return self.import_list(group.stream(), &path);
                }
                Some(TokenTree::Punct(p)) if p.as_char() == '*' => return self.import(&path),
                _ => {
                    let text: TokenStream = tree.iter().cloned().collect();
                    return self.refuse(format!("`use {text}` cannot be followed"));
                }
            }
            at += 1;
            if !separated(tree, at) {
                // The end, or `as` and another name.
                return self.import(&path);
            }
            at += 2;
        }
    }

    /// An import of the last name of a path, or of all names below it.
    fn import(&mut self, path: &Path) {
        let text = path.names.join("::");
        match self.resolve(path) {
            // Names of other crates, or names that are in scope.
            None => {}
            Some(target) => match target.into_iter().next() {
                Some(name) => self.found.push(Found::Name(name)),
                None => self.refuse(format!(
                    "`use {text}` imports the root, whose names cannot be followed then; import \
                     what is needed from its module"
                )),
            },
        }
    }

    /// The names from the root to the target of a path. `None` if the path does not begin with
    /// `crate`, `self` or `super`.
    fn resolve(&mut self, path: &Path) -> Option<Vec<String>> {
        let mut target: Option<Vec<String>> = None;
        for name in &path.names {
            target = match (name.as_str(), target) {
                ("crate", None) => Some(Vec::new()),
                ("self", None) => Some(self.own.clone()),
                ("self", target) => target,
                ("super", target) => {
                    let mut target = target.unwrap_or_else(|| self.own.clone());
                    if target.pop().is_none() {
                        let text = path.names.join("::");
                        self.refuse(format!("`{text}` leads out of the crate"));
                        return None;
                    }
                    Some(target)
                }
                (_, None) => return None,
                (name, Some(mut target)) => {
                    target.push(name.to_owned());
                    Some(target)
                }
            };
        }
        target
    }
}

/// The names of a path.
#[derive(Clone, Debug, Default)]
struct Path {
    names: Vec<String>,
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(w)) if w == word)
}

/// Whether the tokens at `at` are `::`.
fn separated(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}
