//! Drives fred; package compat says what it is asked to do and what it prints.

use std::time::Duration;

use fred::prelude::*;
use fred::types::{Message, MessageKind, RespVersion};
use rust_common::{Failure, Json, Task};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let task = Task::from_args()?;
    match task.name.as_str() {
        "subscribe" => subscribe(&task).await?,
        "keys" => {
            let client = builder(&task).build()?;
            client.init().await?;
            rust_common::keys(Fred(client)).await?;
        }
        other => return Err(format!("no such task: {other}").into()),
    }
    std::process::exit(0) // at once: what the client would say at its end is of no account
}

fn builder(task: &Task) -> Builder {
    let server = if task.cluster {
        ServerConfig::new_clustered(vec![(task.host.clone(), task.port)])
    } else {
        ServerConfig::new_centralized(task.host.clone(), task.port)
    };
    let version = if task.resp3 {
        RespVersion::RESP3
    } else {
        RespVersion::RESP2
    };
    Builder::from_config(Config {
        server,
        version,
        ..Config::default()
    })
}

async fn subscribe(task: &Task) -> Result<(), Failure> {
    // As the documentation shows; a reader that falls behind by more than this,
    // which is 32 by default, loses messages.
    let subscriber = builder(task)
        .with_performance_config(|config| config.broadcast_channel_capacity = 100_000)
        .build_subscriber_client()?;
    subscriber.init().await?;
    let mut messages = subscriber.message_rx();
    let _resubscriber = subscriber.manage_subscriptions();
    let marker = format!("subscribed:{}", std::process::id());
    let channels = [&task.more[..], std::slice::from_ref(&marker)].concat();
    if task.patterns() {
        subscriber.psubscribe(channels).await?;
    } else {
        subscriber.subscribe(channels).await?;
    }
    // The call returns before the server has subscribed, and nothing tells of
    // that but a first message.
    let publisher = builder(task).build()?;
    publisher.init().await?;
    let mut early = Vec::new();
    'unconfirmed: loop {
        publisher.publish::<(), _, _>(&marker, "").await?;
        while let Ok(received) = timeout(Duration::from_millis(20), messages.recv()).await {
            let m: Message = received?;
            if m.channel == marker {
                break 'unconfirmed;
            }
            early.push(m);
        }
    }
    for channel in &task.more {
        rust_common::subscribed(channel);
    }
    let pattern = task.more[0].clone(); // the library does not tell which pattern it was
    let print = move |m: Message| match m.kind {
        _ if m.channel == marker => {}
        MessageKind::PMessage => {
            rust_common::pattern_message(&pattern, &m.channel, &json(&m.value))
        }
        _ => rust_common::message(&m.channel, &json(&m.value)),
    };
    tokio::spawn(async move {
        early.into_iter().for_each(&print);
        loop {
            match messages.recv().await {
                Ok(m) => print(m),
                Err(RecvError::Closed) => return,
                Err(e) => rust_common::error(e),
            }
        }
    });
    rust_common::end_of_input().await;
    Ok(())
}

fn json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(b) => Json::Bool(*b),
        Value::Integer(i) => Json::Int(*i),
        Value::Double(d) => Json::Double(*d),
        Value::String(text) => Json::Text(text.to_string()),
        Value::Bytes(bytes) => Json::text(bytes),
        Value::Queued => Json::Text("QUEUED".into()),
        Value::Array(elements) => Json::List(elements.iter().map(json).collect()),
        Value::Map(map) => Json::Map(
            map.iter()
                .map(|(k, v)| (k.as_str_lossy().into_owned(), json(v)))
                .collect(),
        ),
    }
}

#[derive(Clone)]
struct Fred(Client);

impl rust_common::Client for Fred {
    async fn set(&mut self, key: String, value: String) -> Result<(), Failure> {
        Ok(self
            .0
            .set::<(), _, _>(key, value, None, None, false)
            .await?)
    }

    async fn get(&mut self, key: String) -> Result<Option<String>, Failure> {
        Ok(self.0.get(key).await?)
    }
}
