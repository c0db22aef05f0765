//! What a library hands over, as JSON without spaces.

use std::fmt::{self, Display, Formatter, Write};

/// What a payload can be.
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    /// A text of bytes.
    pub fn text(bytes: &[u8]) -> Self {
        Json::Text(String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Int(value) => write!(f, "{value}"),
            Json::Double(value) => write!(f, "{value}"),
            Json::Text(text) => quote(f, text),
            Json::List(elements) => {
                f.write_char('[')?;
                for (i, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", comma(i))?;
                }
                f.write_char(']')
            }
            Json::Map(entries) => {
                f.write_char('{')?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    f.write_str(comma(i))?;
                    quote(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn comma(i: usize) -> &'static str {
    if i == 0 { "" } else { "," }
}

fn quote(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c < ' ' => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
