#!/usr/bin/env python3
"""Uses a cluster with a RedisCluster whose slot map is current at all times.

    watch.py [host] [port]

Prints the whole map, then each range of slots that changes its owner, as the
RedisCluster has it.
"""

import sys
import time

import redis

from slots import SlotFollower


def heard(what, first, last, owner):
    print(what, f"{first}-{last}", owner or "nobody", flush=True)


def main():
    host = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 6379
    cluster = redis.RedisCluster(host=host, port=port)
    SlotFollower(cluster, host, port, heard).start()
    for n in range(sys.maxsize):
        try:
            cluster.get("greeting")
            cluster.set("greeting", f"hello {n}")
        except redis.RedisError as e:
            print(e, file=sys.stderr, flush=True)
        time.sleep(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
