//! A connection to a cluster that is told of each slot that moves.
//!
//! redis-rs has no way to reload or change the slot map of a
//! `ClusterConnection` from outside, but it sends a command to whichever node
//! one names. So a `FollowingConnection` keeps a map of its own from the
//! channel `__cluster-slots__` and names the node of each command by it. All
//! else is left to the library: redirects, reconnecting, pipelines, commands
//! that `key` does not know, nodes that the library has no connection to yet.

mod key;
mod row;
mod slots;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::ConnectionLike;
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo, Slot};
use redis::{Client, Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult, Value};
use tokio::task::AbortHandle;

pub use row::Row;
use slots::{Node, SlotMap};

const CHANGES: &str = "__cluster-slots__";
const SNAPSHOT: &str = "__cluster-slots__:snapshot";

/// Takes the place of a `ClusterConnection`, also in `AsyncCommands`.
#[derive(Clone)]
pub struct FollowingConnection {
    cluster: ClusterConnection,
    slots: Arc<Mutex<SlotMap>>, // held for a look or a change, never across an await
    _follower: Arc<Follower>,
}

impl FollowingConnection {
    /// Connects to a cluster and follows its slots by subscribing on one node.
    /// `applied` is called for each row that has been applied; its second
    /// argument says that the row is part of a whole map.
    pub async fn connect(
        cluster: ClusterClientBuilder,
        node: Client,
        applied: impl Fn(&Row, bool) + Send + Sync + 'static,
    ) -> RedisResult<Self> {
        let cluster = cluster.build()?.get_async_connection().await?;
        let slots = Arc::new(Mutex::new(SlotMap::new()));
        let follower = tokio::spawn(follow(node, cluster.clone(), slots.clone(), applied));
        Ok(Self {
            cluster,
            slots,
            _follower: Arc::new(Follower(follower.abort_handle())),
        })
    }

    /// Says which node to name for a command, if it is known.
    fn owner(&self, cmd: &Cmd) -> Option<RoutingInfo> {
        let slot = Slot::for_key(key::of(cmd)?);
        let (host, port) = self.slots.lock().unwrap().address(slot)?;
        Some(RoutingInfo::SingleNode(SingleNodeRoutingInfo::ByAddress {
            host,
            port,
        }))
    }
}

impl ConnectionLike for FollowingConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self.owner(cmd) {
            Some(owner) => Box::pin(self.cluster.route_command(cmd.clone(), owner)),
            None => self.cluster.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        self.cluster.req_packed_commands(pipeline, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.cluster.get_db()
    }
}

/// Ends the task when the last connection that it serves is gone.
struct Follower(AbortHandle);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Both channels in one command give the map as it is and then every change
/// after it, so a lost connection needs no more than subscribing again.
async fn follow(
    node: Client,
    cluster: ClusterConnection,
    slots: Arc<Mutex<SlotMap>>,
    applied: impl Fn(&Row, bool) + Send + Sync + 'static,
) {
    loop {
        if let Err(e) = follow_once(&node, &cluster, &slots, &applied).await {
            eprintln!("no slot changes, trying again: {e}");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn follow_once(
    node: &Client,
    cluster: &ClusterConnection,
    slots: &Arc<Mutex<SlotMap>>,
    applied: &(impl Fn(&Row, bool) + Send + Sync + 'static),
) -> RedisResult<()> {
    let host = match node.get_connection_info().addr() {
        redis::ConnectionAddr::Tcp(host, _) => host.clone(),
        redis::ConnectionAddr::TcpTls { host, .. } => host.clone(),
        _ => String::new(),
    };
    let (mut sink, mut messages) = node.get_async_pubsub().await?.split();
    sink.subscribe(&[CHANGES, SNAPSHOT]).await?;
    while let Some(message) = messages.next().await {
        let payload: Value = message.get_payload()?;
        let whole = message.get_channel_name() == SNAPSHOT;
        let rows = if whole {
            Row::all_of(&payload, &host)
        } else {
            Row::of(&payload, &host).map(|row| vec![row])
        };
        let Some(rows) = rows else {
            return Err(RedisError::from((
                ErrorKind::Parse,
                "not a row of CLUSTER SLOTS",
                format!("{payload:?}"),
            )));
        };
        let strangers = slots.lock().unwrap().apply(&rows, whole);
        for stranger in strangers {
            tokio::spawn(greet(cluster.clone(), slots.clone(), stranger));
        }
        for row in &rows {
            applied(row, whole);
        }
    }
    Err(RedisError::from((ErrorKind::Io, "connection lost")))
}

/// Has the library connect to a node that has just got its first slot. Until
/// the node has answered, its slots are left to the library.
async fn greet(mut cluster: ClusterConnection, slots: Arc<Mutex<SlotMap>>, node: Node) {
    let routing = SingleNodeRoutingInfo::ByAddress {
        host: node.host.clone(),
        port: node.port,
    };
    let answer = cluster
        .route_command(redis::cmd("PING"), RoutingInfo::SingleNode(routing))
        .await;
    if answer.is_ok() {
        slots.lock().unwrap().answered(&node);
    }
}
