"""Keeps the slot map of a redis.RedisCluster current from __cluster-slots__.

Copy this file. A SlotFollower hears of each slot that moves and puts it into
the cluster client's own map, so that commands go to the right node at once:

    cluster = redis.RedisCluster(host="127.0.0.1", port=7001)
    SlotFollower(cluster, "127.0.0.1", 7003).start()

The node that it listens to can be any slotcast node of the cluster.
"""

import sys
import threading
import time

import redis
from redis.cluster import PRIMARY, REPLICA, ClusterNode

CHANGES = "__cluster-slots__"
SNAPSHOT = "__cluster-slots__:snapshot"


class SlotFollower(threading.Thread):
    def __init__(self, cluster, host, port, heard=None):
        """heard(what, first slot, last slot, owner) is called for each row that
        is in the map; what is "map" or "change", an owner "host:port" or None."""
        super().__init__(daemon=True)
        self.cluster = cluster
        self.host = host
        self.heard = heard
        options = {"host": host, "port": port, "decode_responses": True, "socket_keepalive": True}
        if int(redis.__version__.partition(".")[0]) >= 5:
            # Nothing but messages comes on a RESP2 connection. On RESP3, redis-py
            # 8 has a connection that is told of a move by SMIGRATED made anew.
            options["protocol"] = 2
        self.listener = redis.Redis(**options)

    def run(self):
        # Subscribing to both channels gives the map as it is and then every
        # change after it, so a lost connection needs no more than subscribing
        # anew, which redis-py does by itself as long as the node answers.
        while True:
            try:
                with self.listener.pubsub() as sub:
                    sub.subscribe(CHANGES, SNAPSHOT)
                    for message in sub.listen():
                        self.take(message)
            except redis.RedisError as e:
                print("connection lost, trying again:", e, file=sys.stderr, flush=True)
                time.sleep(1)

    def take(self, message):
        if message["type"] != "message":
            return
        if message["channel"] == SNAPSHOT:
            what, rows = "map", message["data"]
        else:
            what, rows = "change", [message["data"]]
        for row in rows:
            owner = self.apply(row)
            if self.heard:
                self.heard(what, row[0], row[1], owner)

    def apply(self, row):
        """Takes one row: first slot, last slot, primary, replicas.

        A row without a primary says that the slots have no owner; the cluster
        client then goes on asking whoever had them, which answers for them.
        """
        first, last, *nodes = row
        if not nodes:
            return None
        roles = [PRIMARY] + [REPLICA] * (len(nodes) - 1)
        shard = [self.node(node, role) for node, role in zip(nodes, roles)]
        slots = self.cluster.nodes_manager.slots_cache
        for slot in range(first, last + 1):
            slots[slot] = shard[:]  # a list of its own, as MOVED changes it in place
        return slots[first][0].name

    def node(self, node, role):
        """The cluster client's node. It connects to a new one on first use.

        A node is endpoint, port, id and metadata; where the endpoint is
        unknown, it is the one that we are connected to.
        """
        endpoint, port = node[:2]
        fresh = ClusterNode(endpoint or self.host, port, role)
        known = self.cluster.nodes_manager.nodes_cache.setdefault(fresh.name, fresh)
        known.server_type = role
        return known
