"""Drives the asyncio clients of redis-py 8; package compat says what it is asked
to do and what it prints."""

import asyncio
import os
import sys
import traceback
from pathlib import Path

import redis.asyncio

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python-common"))

import program
import redis_py


async def main():
    task, place, rest = program.arguments()
    cls = redis.asyncio.RedisCluster if place.kind == "cluster" else redis.asyncio.Redis
    client = await cls(host=place.host, port=place.port, protocol=place.resp)
    if task == "keys":
        await asyncio.gather(*(client.set(f"key:{n}", str(n)) for n in range(50)))
        program.report(await asyncio.gather(*(client.get(f"key:{n}") for n in range(50))))
        await client.aclose()
    elif task == "subscribe":
        await subscribe(client, rest)
    else:
        raise SystemExit(f"no such task: {task}")


async def subscribe(client, names):
    sub = client.pubsub()
    if program.is_patterns(names):
        await sub.psubscribe(*names)
    else:
        await sub.subscribe(*names)

    async def read():
        async for m in sub.listen():
            program.say(*redis_py.words(m))

    reading = asyncio.create_task(read())
    end = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    await asyncio.wait([reading, end], return_when=asyncio.FIRST_COMPLETED)
    if reading.done():  # with an exception, which ends the program
        traceback.print_exception(reading.exception())
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


asyncio.run(main())
