'use strict';
// The driver for node-redis, version 4 and later.

const { report } = require('./program');

async function connect(redis, { addr, resp, kind, mode }) {
  const url = `redis://${addr}`;
  // Version 4 knows RESP2 alone, and heeds neither of these options.
  const options = { RESP: resp };
  if (mode && mode !== 'smigrated') options.defaults = { maintNotifications: 'disabled' };
  const client = kind === 'cluster'
    ? redis.createCluster({ rootNodes: [{ url }], ...options })
    : redis.createClient({ url, ...options });
  // The documentation wants a listener for errors, without which they are thrown.
  // A cluster client tells of those of its connections by an event of its own.
  const tell = mode ? (error) => console.error(error.message) : report;
  client.on('error', tell).on('node-error', tell);
  await client.connect();
  return client;
}

// The listener is not told the pattern, so each pattern gets its own.
function subscribe(client, names, patterns, on) {
  if (patterns) {
    return Promise.all(names.map((name) =>
      client.pSubscribe(name, (payload, channel) => on.pmessage(name, channel, payload))));
  }
  return client.subscribe(names, (payload, channel) => on.message(channel, payload));
}

// follow is the recipe.
function follow(client, place) {
  return require('../../../examples/node-redis/slots').followSlots(client, place);
}

module.exports = {
  connect,
  subscribe,
  follow,
  set: (client, key, value) => client.set(key, value),
  get: (client, key) => client.get(key),
};
