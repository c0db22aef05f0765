'use strict';
// The load task: four workers of one client until standard input ends.

const WORKERS = 4;

module.exports = async function load(driver, client) {
  let ended = false;
  process.stdin.on('end', () => { ended = true; }).resume();

  const durations = []; // of each operation that went well, in microseconds
  const failures = new Map(); // how often, by text
  let failed = 0;
  let idle = WORKERS; // workers that have not done anything yet

  async function worker() {
    let first = true;
    while (!ended) {
      const key = `load:${Math.floor(Math.random() * 10000)}`;
      const begin = process.hrtime.bigint();
      try {
        if (Math.random() < 0.5) await driver.set(client, key, key);
        else await driver.get(client, key);
        durations.push(Number(process.hrtime.bigint() - begin) / 1000);
      } catch (error) {
        failed++;
        failures.set(error.message, (failures.get(error.message) ?? 0) + 1);
      }
      if (first) {
        first = false;
        if (--idle === 0) console.log('loading');
      }
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, worker));

  durations.sort((a, b) => a - b);
  const at = (part) => Math.round(durations[Math.min(durations.length - 1, Math.floor(durations.length * part))] ?? 0);
  console.log('operations', durations.length + failed);
  console.log('errors', failed);
  console.log('p50', at(0.5));
  console.log('p99', at(0.99));
  console.log('max', at(1));
  for (const [text, times] of failures) console.error(`${times} times: ${text}`);
  process.exit(0);
};
