'use strict';
// Keeps the slot map of a node-redis cluster client current from
// __cluster-slots__:json.
//
// Copy this file. followSlots hears of each slot that moves and puts it into
// the cluster client's own map, so that commands go to the right node at once:
//
//   const cluster = await createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:7001' }] }).connect();
//   await followSlots(cluster, { host: '127.0.0.1', port: 7003 });
//
// The node that it listens to can be any slotcast node of the cluster.

const { createClient } = require('redis');

const CHANGES = '__cluster-slots__:json';
const SNAPSHOT = '__cluster-slots__:snapshot:json';

// followSlots resolves, to the connection that listens, once the whole map is
// on its way. heard(what, first slot, last slot, owner) is called for each row
// that is in the map; what is "map" or "change", an owner "host:port" or null.
async function followSlots(cluster, { host, port }, heard = () => {}) {
  // Nothing but messages comes on a RESP2 connection.
  const listener = createClient({ socket: { host, port }, RESP: 2 });
  listener.on('error', (error) => console.error('connection lost, trying again:', error.message));
  await listener.connect();
  const take = (what, row) => heard(what, row[0], row[1], apply(cluster, row, host));
  // Both channels in one command: the map as it is, and then every change after
  // it. node-redis subscribes to both again when it has to reconnect, so the map
  // comes again too and makes up for what was missed.
  await listener.subscribe([CHANGES, SNAPSHOT], (message, channel) => {
    const payload = JSON.parse(message);
    if (channel === SNAPSHOT) payload.forEach((row) => take('map', row));
    else take('change', payload);
  });
  return listener;
}

// apply takes one row: first slot, last slot, primary, replicas. A row without a
// primary says that the slots have no owner; the cluster client then goes on
// asking whoever had them, which answers for them.
function apply(cluster, [first, last, primary, ...replicas], host) {
  if (!primary) return null;
  const shard = { master: node(cluster, primary, false, host) };
  if (cluster.replicas.length) { // only with the option useReplicas
    shard.replicas = replicas.map((replica) => node(cluster, replica, true, host));
  }
  const { slots } = cluster;
  for (let slot = first; slot <= last; slot++) slots[slot] = shard;
  return slots[first].master.address;
}

// node returns the cluster client's node, which connects to a new one on first
// use. A node is endpoint, port, id and metadata; where the endpoint is null,
// it is the one that we are connected to.
function node(cluster, [endpoint, port, id], readonly, host) {
  const address = `${endpoint ?? host}:${port}`;
  let known = cluster.nodeByAddress.get(address);
  if (!known) {
    known = { id, host: endpoint ?? host, port, address };
    cluster.nodeByAddress.set(address, known);
  }
  known.readonly = readonly;
  const [to, from] = readonly ? [cluster.replicas, cluster.masters] : [cluster.masters, cluster.replicas];
  if (!to.includes(known)) to.push(known);
  if (from.includes(known)) from.splice(from.indexOf(known), 1);
  return known;
}

module.exports = { followSlots };
