//! The owner of every slot.

use std::collections::HashMap;

use redis::cluster_routing::Slot;

use crate::row::Row;

const SLOTS: u16 = 16384;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub host: String,
    pub port: u16,
}

/// What is known of a node that has slots.
#[derive(Default)]
struct Known {
    slots: usize,
    answers: bool, // the library has a connection to it
}

pub struct SlotMap {
    owners: Vec<Option<Node>>,
    nodes: HashMap<Node, Known>,
    /// The library does not tell the number of a Slot, but compares them.
    numbers: HashMap<Slot, usize>,
}

impl SlotMap {
    pub fn new() -> Self {
        let numbers = (0..SLOTS)
            .filter_map(|number| Some((Slot::new(number)?, number.into())))
            .collect();
        Self {
            owners: vec![None; SLOTS.into()],
            nodes: HashMap::new(),
            numbers,
        }
    }

    /// Returns where the keys of a slot are; none where that is left to the
    /// library.
    pub fn address(&self, slot: Slot) -> Option<(String, u16)> {
        let node = self.owners[*self.numbers.get(&slot)?].as_ref()?;
        self.nodes
            .get(node)
            .filter(|known| known.answers)
            .map(|_| (node.host.clone(), node.port))
    }

    /// Takes rows, all there are if `whole`, and returns the nodes among the
    /// owners that had no slot before.
    pub fn apply(&mut self, rows: &[Row], whole: bool) -> Vec<Node> {
        let before: Vec<Node> = self.nodes.keys().cloned().collect();
        if whole {
            self.set(0, SLOTS - 1, None);
        }
        for row in rows {
            let owner = row.owner.clone().map(|(host, port)| Node { host, port });
            self.set(row.first, row.last, owner);
        }
        // The library drops its connection to a node without slots.
        self.nodes.retain(|_, known| known.slots > 0);
        self.nodes
            .keys()
            .filter(|node| !before.contains(node))
            .cloned()
            .collect()
    }

    fn set(&mut self, first: u16, last: u16, owner: Option<Node>) {
        for slot in usize::from(first)..=usize::from(last) {
            if let Some(known) = self.owners[slot]
                .as_ref()
                .and_then(|node| self.nodes.get_mut(node))
            {
                known.slots -= 1;
            }
            if let Some(node) = &owner {
                self.nodes.entry(node.clone()).or_default().slots += 1;
            }
            self.owners[slot] = owner.clone();
        }
    }

    /// Notes that the library has a connection to a node.
    pub fn answered(&mut self, node: &Node) {
        if let Some(known) = self.nodes.get_mut(node) {
            known.answers = true;
        }
    }
}
