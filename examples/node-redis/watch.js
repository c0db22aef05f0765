'use strict';
// Uses a cluster with a client whose slot map is current at all times.
//
//   node watch.js [host] [port]
//
// Prints the whole map, then each range of slots that changes its owner, as the
// cluster client has it.

const { createCluster } = require('redis');
const { followSlots } = require('./slots');

async function main(host = '127.0.0.1', port = '6379') {
  const cluster = createCluster({ rootNodes: [{ socket: { host, port: Number(port) } }] });
  cluster.on('error', (error) => console.error(error.message));
  await cluster.connect();
  await followSlots(cluster, { host, port: Number(port) }, (what, first, last, owner) =>
    console.log(what, `${first}-${last}`, owner ?? 'nobody'));

  let n = 0;
  setInterval(async () => {
    try {
      await cluster.get('greeting');
      await cluster.set('greeting', `hello ${n++}`);
    } catch (error) {
      console.error(error.message);
    }
  }, 1000);
}

main(...process.argv.slice(2));
