#!/usr/bin/env python3
"""Follows the slot map of a cluster from the channel __cluster-slots__.

    watch_slots.py [host] [port]

Prints the whole map, then each range of slots that changes its owner. Copy
the class: it keeps the owner of every slot, current while it is followed.
"""

import sys
import time

import redis

CHANGES = "__cluster-slots__"
SNAPSHOT = "__cluster-slots__:snapshot"


class SlotMap:
    def __init__(self, host, port):
        self.host = host
        self.owners = [None] * 16384  # "host:port" by slot
        self.client = redis.Redis(host=host, port=port, decode_responses=True, socket_keepalive=True)

    def follow(self):
        """Yields (what, first slot, last slot, owner) for ever.

        Subscribing to both channels gives the map as it is and then every
        change after it, so a lost connection needs no more than subscribing
        anew.
        """
        while True:
            try:
                with self.client.pubsub() as sub:
                    sub.subscribe(CHANGES, SNAPSHOT)
                    for message in sub.listen():
                        if message["type"] != "message":
                            continue
                        if message["channel"] == SNAPSHOT:
                            self.owners = [None] * 16384
                            for row in message["data"]:
                                yield ("map", *self.apply(row))
                        else:
                            yield ("change", *self.apply(message["data"]))
            except redis.ConnectionError as e:
                print("connection lost, trying again:", e, file=sys.stderr, flush=True)
                time.sleep(1)

    def apply(self, row):
        """Takes one row: first slot, last slot, primary, replicas.

        A row without a primary says that the slots have no owner. A node is
        endpoint, port, id and metadata; where the endpoint is unknown, the
        node is the one that we are connected to.
        """
        first, last, *nodes = row
        owner = None
        if nodes:
            endpoint, port = nodes[0][:2]
            owner = f"{endpoint or self.host}:{port}"
        self.owners[first : last + 1] = [owner] * (last - first + 1)
        return first, last, owner


def main():
    host = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 6379
    for what, first, last, owner in SlotMap(host, port).follow():
        print(what, f"{first}-{last}", owner or "nobody", flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
