//! A parser for the subset of JSON that the collected cases use.

/// A value. All numbers are floats.
#[derive(Debug)]
pub(crate) enum Json {
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Record(Vec<(String, Json)>),
    Other,
}

impl Json {
    pub(crate) fn parse(text: &str) -> Self {
        let mut rest = text;
        let value = value(&mut rest);
        assert!(rest.trim().is_empty(), "text after the value");
        value
    }

    pub(crate) fn get(&self, name: &str) -> &Self {
        let Self::Record(fields) = self else { panic!("not a record: {self:?}") };
        &fields.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("missing field {name}")).1
    }

    pub(crate) fn list(&self) -> &[Self] {
        let Self::List(values) = self else { panic!("not a list: {self:?}") };
        values
    }

    pub(crate) fn number(&self) -> f64 {
        let Self::Number(x) = self else { panic!("not a number: {self:?}") };
        *x
    }

    pub(crate) fn numbers(&self) -> Vec<f64> {
        self.list().iter().map(Self::number).collect()
    }

    pub(crate) fn text(&self) -> &str {
        let Self::Text(text) = self else { panic!("not a text: {self:?}") };
        text
    }
}

fn take(rest: &mut &str, token: char) -> bool {
    *rest = rest.trim_start();
    let found = rest.starts_with(token);
    if found {
        *rest = &rest[token.len_utf8()..];
    }
    found
}

fn text(rest: &mut &str) -> String {
    let end = rest.find('"').unwrap();
    let text = rest[..end].to_owned();
    *rest = &rest[end + 1..];
    text
}

fn value(rest: &mut &str) -> Json {
    if take(rest, '[') {
        let mut values = Vec::new();
        while !take(rest, ']') {
            values.push(value(rest));
            take(rest, ',');
        }
        Json::List(values)
    } else if take(rest, '{') {
        let mut fields = Vec::new();
        while !take(rest, '}') {
            assert!(take(rest, '"'));
            let name = text(rest);
            assert!(take(rest, ':'));
            fields.push((name, value(rest)));
            take(rest, ',');
        }
        Json::Record(fields)
    } else if take(rest, '"') {
        Json::Text(text(rest))
    } else {
        let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
        let word = rest[..end].trim();
        *rest = &rest[end..];
        word.parse().map_or(Json::Other, Json::Number)
    }
}
