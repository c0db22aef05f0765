"""Drives redis-py 8; package compat says what it is asked to do and what it prints."""

import sys
from pathlib import Path

import redis
from redis.maint_notifications import MaintNotificationsConfig

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python-common"))
sys.path.insert(0, str(HERE.parents[2] / "examples" / "redis-py"))

import program
import redis_py


class Driver(redis_py.Driver):
    def options(self, place, mode):
        # SMIGRATED is followed unless it is refused. On RESP2, which has no such
        # pushes, the option is an error in any case.
        if place.resp == 2:
            return {}
        return {} if mode == "smigrated" else {"maint_notifications_config": MaintNotificationsConfig(enabled=False)}

    def follow(self, client, place):
        import slots

        slots.SlotFollower(client, place.host, place.port).start()


program.main(Driver(redis.Redis, redis.RedisCluster))
