//! Drives redis-rs; package compat says what it is asked to do and what it prints.

use futures_util::StreamExt;
use redis::aio::ConnectionLike;
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::{AsyncCommands, Client, ProtocolVersion, PushKind, RedisResult, Value};
use rust_common::{Failure, Json, Task};
use tokio::sync::mpsc;
use watch_slots::FollowingConnection;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let task = Task::from_args()?;
    match (task.name.as_str(), task.cluster) {
        ("subscribe", false) => subscribe_single(&task).await?,
        ("subscribe", true) => subscribe_cluster(&task).await?,
        ("keys", false) => {
            let connection = single(&task)?.get_multiplexed_async_connection().await?;
            rust_common::keys(Commands(connection)).await?;
        }
        ("keys", true) => {
            let connection = cluster(&task).build()?.get_async_connection().await?;
            rust_common::keys(Commands(connection)).await?;
        }
        ("load", true) if task.more == ["on"] => {
            let connection =
                FollowingConnection::connect(cluster(&task), single(&task)?, |_, _| {}).await?;
            rust_common::load(Commands(connection)).await?;
        }
        ("load", true) => {
            let connection = cluster(&task).build()?.get_async_connection().await?;
            rust_common::load(Commands(connection)).await?;
        }
        _ => return Err("no such task".into()),
    }
    std::process::exit(0)
}

fn url(task: &Task) -> String {
    let protocol = if task.resp3 { "resp3" } else { "resp2" };
    format!("redis://{}:{}/?protocol={protocol}", task.host, task.port)
}

fn single(task: &Task) -> RedisResult<Client> {
    Client::open(url(task))
}

fn cluster(task: &Task) -> ClusterClientBuilder {
    let protocol = if task.resp3 {
        ProtocolVersion::RESP3
    } else {
        ProtocolVersion::RESP2
    };
    ClusterClient::builder([url(task)]).use_protocol(protocol)
}

async fn subscribe_single(task: &Task) -> Result<(), Failure> {
    let (mut sink, mut messages) = single(task)?.get_async_pubsub().await?.split();
    if task.patterns() {
        sink.psubscribe(&task.more).await?;
    } else {
        sink.subscribe(&task.more).await?;
    }
    for channel in &task.more {
        rust_common::subscribed(channel);
    }
    tokio::spawn(async move {
        while let Some(m) = messages.next().await {
            let payload = match m.get_payload::<Value>() {
                Ok(payload) => json(&payload),
                Err(e) => return rust_common::error(e),
            };
            match m.get_pattern::<Option<String>>() {
                Ok(Some(pattern)) => {
                    rust_common::pattern_message(&pattern, m.get_channel_name(), &payload)
                }
                _ => rust_common::message(m.get_channel_name(), &payload),
            }
        }
    });
    rust_common::end_of_input().await;
    Ok(())
}

/// The cluster client hands pushes over as they are, confirmations too.
async fn subscribe_cluster(task: &Task) -> Result<(), Failure> {
    let (sender, mut pushes) = mpsc::unbounded_channel();
    let mut connection = cluster(task)
        .push_sender(sender)
        .build()?
        .get_async_connection()
        .await?;
    tokio::spawn(async move {
        while let Some(push) = pushes.recv().await {
            let name = |i: usize| match push.data.get(i) {
                Some(Value::BulkString(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
                other => format!("{other:?}"),
            };
            let payload = push.data.last().map_or(Json::Null, json);
            match push.kind {
                PushKind::Subscribe | PushKind::PSubscribe => rust_common::subscribed(&name(0)),
                PushKind::Message => rust_common::message(&name(0), &payload),
                PushKind::PMessage => rust_common::pattern_message(&name(0), &name(1), &payload),
                other => rust_common::error(format!("{other}")),
            }
        }
    });
    if task.patterns() {
        connection.psubscribe(&task.more).await?;
    } else {
        connection.subscribe(&task.more).await?;
    }
    rust_common::end_of_input().await;
    Ok(())
}

fn json(value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Int(i) => Json::Int(*i),
        Value::Double(d) => Json::Double(*d),
        Value::Boolean(b) => Json::Bool(*b),
        Value::BulkString(bytes) => Json::text(bytes),
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => Json::Text(text.clone()),
        Value::Okay => Json::Text("OK".into()),
        Value::Array(elements) | Value::Set(elements) => {
            Json::List(elements.iter().map(json).collect())
        }
        Value::Map(entries) => Json::Map(
            entries
                .iter()
                .map(|(k, v)| (redis::from_redis_value_ref(k).unwrap_or_default(), json(v)))
                .collect(),
        ),
        other => Json::Text(format!("{other:?}")),
    }
}

#[derive(Clone)]
struct Commands<C>(C);

impl<C: ConnectionLike + Clone + Send + Sync + 'static> rust_common::Client for Commands<C> {
    async fn set(&mut self, key: String, value: String) -> Result<(), Failure> {
        Ok(self.0.set(key, value).await?)
    }

    async fn get(&mut self, key: String) -> Result<Option<String>, Failure> {
        Ok(self.0.get(key).await?)
    }
}
