'use strict';
// Drives Valkey GLIDE 2 for Node; package compat says what it is asked and
// what it prints.

const { main } = require('../node-common/program');

// What waits for the subscribe task: a client is given its listener when it is
// created.
let listener;

function connect(glide, { host, port, resp, kind }) {
  const options = {
    addresses: [{ host, port }],
    protocol: resp === 3 ? glide.ProtocolVersion.RESP3 : glide.ProtocolVersion.RESP2,
  };
  if (resp === 3) {
    options.pubsubSubscriptions = { channelsAndPatterns: {}, callback: (message) => listener(message) };
  }
  return (kind === 'cluster' ? glide.GlideClusterClient : glide.GlideClient).createClient(options);
}

// The library's methods subscribe to one name after the other's confirmation,
// and return when the last is confirmed.
function subscribe(client, names, patterns, on) {
  listener = ({ channel, pattern, message }) => {
    if (pattern) on.pmessage(pattern, channel, plain(message));
    else on.message(channel, plain(message));
  };
  const wait = 30000; // milliseconds
  return patterns ? client.psubscribe(names, wait) : client.subscribe(names, wait);
}

// plain prints as an object what the library hands out as one: a map is a list
// of keys and values.
function plain(value) {
  if (!Array.isArray(value)) return value;
  if (value.length && value.every((entry) => entry?.key !== undefined)) {
    return Object.fromEntries(value.map((entry) => [entry.key, plain(entry.value)]));
  }
  return value.map(plain);
}

const driver = {
  connect,
  subscribe,
  set: (client, key, value) => client.set(key, value),
  get: (client, key) => client.get(key),
};

main(driver, require('@valkey/valkey-glide'));
