//! What the programs that drive Rust libraries share; package compat says what
//! each task is asked and what it prints.

mod json;
mod load;

use std::error::Error;
use std::fmt::Display;

use tokio::io::AsyncReadExt;

pub use json::Json;
pub use load::load;

/// An error that can leave the thread it occurred in.
pub type Failure = Box<dyn Error + Send + Sync>;

/// What the tasks ask of a library's client.
pub trait Client: Clone + Send + 'static {
    fn set(
        &mut self,
        key: String,
        value: String,
    ) -> impl Future<Output = Result<(), Failure>> + Send;
    fn get(&mut self, key: String) -> impl Future<Output = Result<Option<String>, Failure>> + Send;
}

/// The arguments of a program.
pub struct Task {
    pub name: String,
    pub host: String,
    pub port: u16,
    pub resp3: bool,
    pub cluster: bool,
    /// The channels, or the mode of a load.
    pub more: Vec<String>,
}

impl Task {
    pub fn from_args() -> Result<Self, Failure> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let [name, addr, resp, kind, more @ ..] = &args[..] else {
            return Err(
                "usage: subscribe|keys|load <addr> <resp> single|cluster [channel...|off|on]"
                    .into(),
            );
        };
        let (host, port) = addr.rsplit_once(':').ok_or("an address is host:port")?;
        Ok(Task {
            name: name.clone(),
            host: host.into(),
            port: port.parse()?,
            resp3: resp == "3",
            cluster: kind == "cluster",
            more: more.to_vec(),
        })
    }

    /// Says whether the channels are patterns.
    pub fn patterns(&self) -> bool {
        self.more.iter().any(|name| name.contains('*'))
    }
}

pub fn subscribed(channel: &str) {
    println!("subscribed {channel}");
}

pub fn message(channel: &str, payload: &Json) {
    println!("message {channel} {payload}");
}

pub fn pattern_message(pattern: &str, channel: &str, payload: &Json) {
    println!("pmessage {pattern} {channel} {payload}");
}

/// Prints an error that the library hands to its user.
pub fn error(text: impl Display) {
    println!(
        "error {}",
        text.to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    );
}

/// Waits until standard input ends.
pub async fn end_of_input() {
    let mut input = tokio::io::stdin();
    let mut buffer = [0; 64];
    while matches!(input.read(&mut buffer).await, Ok(n) if n > 0) {}
}

/// Sets 50 keys and reads them back.
pub async fn keys(mut client: impl Client) -> Result<(), Failure> {
    for i in 0..50 {
        client.set(format!("key:{i}"), i.to_string()).await?;
    }
    let mut right = 0;
    for i in 0..50 {
        if client.get(format!("key:{i}")).await? == Some(i.to_string()) {
            right += 1;
        }
    }
    println!("keys {right}");
    Ok(())
}
