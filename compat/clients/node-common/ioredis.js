'use strict';
// The driver for ioredis and for what has been forked from it.

const { report } = require('./program');

function connect(Redis, { host, port, resp, kind, mode }) {
  const options = { protocol: resp }; // before ioredis 6 there is no such option, and RESP2 alone
  // A busy machine may be slower than the second that a Cluster gives a node for
  // its map before it tells of an error and tries again.
  const client = kind === 'cluster'
    ? new Redis.Cluster([{ host, port }], { redisOptions: options, slotsRefreshTimeout: 30000 })
    : new Redis({ host, port, ...options });
  client.on('error', mode ? (error) => console.error(error.message) : report);
  return client; // what is asked of it waits until it is connected
}

function subscribe(client, names, patterns, on) {
  client.on('message', on.message);
  client.on('pmessage', on.pmessage);
  return patterns ? client.psubscribe(...names) : client.subscribe(...names);
}

// follow is the recipe.
function follow(client, place) {
  return require('../../../examples/ioredis/slots').followSlots(client, place);
}

module.exports = {
  connect,
  subscribe,
  follow,
  set: (client, key, value) => client.set(key, value),
  get: (client, key) => client.get(key),
};
