//! Four workers that set and get random keys.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::Barrier;

use crate::{Client, Failure, end_of_input};

const WORKERS: u64 = 4;
const KEYS: u64 = 10_000;

#[derive(Default)]
struct Done {
    micros: Vec<u32>,
    errors: BTreeMap<String, u64>,
}

/// Runs the workers until standard input ends, and prints what came of it.
pub async fn load(client: impl Client) -> Result<(), Failure> {
    let ended = Arc::new(AtomicBool::new(false));
    let working = Arc::new(Barrier::new(WORKERS as usize + 1));
    let workers: Vec<_> = (1..=WORKERS)
        .map(|seed| tokio::spawn(work(client.clone(), seed, working.clone(), ended.clone())))
        .collect();
    working.wait().await;
    println!("loading");
    end_of_input().await;
    ended.store(true, Ordering::Relaxed);

    let mut all = Done::default();
    for worker in workers {
        let done = worker.await?;
        all.micros.extend(done.micros);
        for (text, count) in done.errors {
            *all.errors.entry(text).or_default() += count;
        }
    }
    all.micros.sort_unstable();
    println!("operations {}", all.micros.len());
    println!("errors {}", all.errors.values().sum::<u64>());
    for (name, percent) in [("p50", 50), ("p99", 99), ("max", 100)] {
        let at = all.micros.len().saturating_sub(1) * percent / 100;
        println!("{name} {}", all.micros.get(at).copied().unwrap_or_default());
    }
    for (text, count) in all.errors {
        eprintln!("{count} times {text}");
    }
    Ok(())
}

async fn work(
    mut client: impl Client,
    seed: u64,
    working: Arc<Barrier>,
    ended: Arc<AtomicBool>,
) -> Done {
    let mut done = Done::default();
    let mut random = Random(seed);
    while !ended.load(Ordering::Relaxed) {
        let key = format!("load:{}", random.below(KEYS));
        let start = Instant::now();
        let outcome = if random.below(2) == 0 {
            client.set(key.clone(), key).await
        } else {
            client.get(key).await.map(drop)
        };
        done.micros.push(start.elapsed().as_micros() as u32);
        if let Err(e) = outcome {
            *done.errors.entry(e.to_string()).or_default() += 1;
        }
        if done.micros.len() == 1 {
            working.wait().await;
        }
    }
    done
}

/// A generator of the kind called splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}
