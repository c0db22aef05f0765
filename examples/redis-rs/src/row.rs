//! The rows that the channels carry.

use redis::{Value, from_redis_value_ref};

/// A range of slots and its owner.
#[derive(Clone, Debug)]
pub struct Row {
    pub first: u16,
    pub last: u16,
    /// Host and port of the primary; none where the slots belong to nobody.
    pub owner: Option<(String, u16)>,
}

impl Row {
    /// Reads a row of CLUSTER SLOTS: first, last, primary, replica, … Where a
    /// primary's endpoint is nil it is the node that says so, at `host`.
    pub fn of(payload: &Value, host: &str) -> Option<Row> {
        let Value::Array(fields) = payload else {
            return None;
        };
        let number = |i: usize| {
            fields
                .get(i)
                .and_then(|field| from_redis_value_ref::<u16>(field).ok())
        };
        let (first, last) = (number(0)?, number(1)?);
        if first > last || last >= 16384 {
            return None;
        }
        let owner = match fields.get(2) {
            None => None,
            // A node is endpoint, port, id and metadata.
            Some(Value::Array(node)) => {
                let endpoint: Option<String> = from_redis_value_ref(node.first()?).ok()?;
                let port: u16 = from_redis_value_ref(node.get(1)?).ok()?;
                Some((endpoint.unwrap_or_else(|| host.into()), port))
            }
            Some(_) => return None,
        };
        Some(Row { first, last, owner })
    }

    /// Reads a whole map.
    pub fn all_of(payload: &Value, host: &str) -> Option<Vec<Row>> {
        let Value::Array(rows) = payload else {
            return None;
        };
        rows.iter().map(|row| Row::of(row, host)).collect()
    }
}
