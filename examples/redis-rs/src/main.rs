//! Prints the slot map and what changes in it, and sets and gets a key every
//! second meanwhile.
//!
//!     cargo run [host:port]

use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::{AsyncCommands, Client, RedisResult};
use watch_slots::{FollowingConnection, Row};

#[tokio::main]
async fn main() -> RedisResult<()> {
    let addr = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:6379".into());
    let url = format!("redis://{addr}");
    let cluster = ClusterClient::builder([url.clone()]);
    let mut connection = FollowingConnection::connect(cluster, Client::open(url)?, print).await?;
    for i in 0.. {
        if let Err(e) = set_and_get(&mut connection, i).await {
            eprintln!("{e}");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

async fn set_and_get(connection: &mut FollowingConnection, i: u64) -> RedisResult<u64> {
    let key = format!("key:{}", i % 1000);
    let () = connection.set(&key, i).await?;
    connection.get(&key).await
}

fn print(row: &Row, whole: bool) {
    let what = if whole { "map" } else { "change" };
    let owner = row
        .owner
        .as_ref()
        .map_or("nobody".into(), |(host, port)| format!("{host}:{port}"));
    println!("{what} {}-{} {owner}", row.first, row.last);
}
