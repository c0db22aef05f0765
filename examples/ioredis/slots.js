'use strict';
// Keeps the slot map of an ioredis Cluster current from __cluster-slots__:json.
//
// Copy this file. followSlots hears of each slot that moves and puts it into
// the Cluster's own map, so that commands go to the right node at once:
//
//   const cluster = new Redis.Cluster([{ host: '127.0.0.1', port: 7001 }]);
//   await followSlots(cluster, { host: '127.0.0.1', port: 7003 });
//
// The node that it listens to can be any slotcast node of the cluster.

const Redis = require('ioredis');

const CHANGES = '__cluster-slots__:json';
const SNAPSHOT = '__cluster-slots__:snapshot:json';

// followSlots resolves, to the connection that listens, once the whole map is
// on its way. heard(what, first slot, last slot, owner) is called for each row
// that is in the map; what is "map" or "change", an owner "host:port" or null.
async function followSlots(cluster, { host, port }, heard = () => {}) {
  if (cluster.status !== 'ready') {
    // Its first reading of the map would undo what came before it.
    await new Promise((resolve) => cluster.once('ready', resolve));
  }
  const listener = new Redis({ host, port });
  listener.on('error', (error) => console.error('connection lost, trying again:', error.message));
  const take = (what, row) => heard(what, row[0], row[1], apply(cluster, row, host));
  listener.on('message', (channel, message) => {
    const payload = JSON.parse(message);
    if (channel === SNAPSHOT) payload.forEach((row) => take('map', row));
    else take('change', payload);
  });
  // Both channels in one command: the map as it is, and then every change after
  // it. ioredis subscribes to both again when it has to reconnect, so the map
  // comes again too and makes up for what was missed.
  await listener.subscribe(CHANGES, SNAPSHOT);
  return listener;
}

// apply takes one row: first slot, last slot, primary, replicas. A row without a
// primary says that the slots have no owner; the Cluster then goes on asking
// whoever had them, which answers for them. A node is endpoint, port, id and
// metadata; where the endpoint is null, it is the one that we are connected to.
function apply(cluster, [first, last, ...nodes], host) {
  if (!nodes.length) return null;
  const keys = nodes.map(([endpoint, port]) => `${endpoint ?? host}:${port}`);
  // Pipelines may hold keys of all slots with the same number.
  const group = cluster._groupsIds[keys.join(';')];
  for (let slot = first; slot <= last; slot++) {
    cluster.slots[slot] = [...keys]; // a list of its own, as MOVED changes it in place
    cluster._groupsBySlot[slot] = group;
  }
  // A node that had no slots until now: the Cluster connects to it, and counts
  // its groups anew, when it reads the map. That is once for each new node.
  if (group === undefined) cluster.refreshSlotsCache();
  return cluster.slots[first][0];
}

module.exports = { followSlots };
