"""Drives Valkey GLIDE 2 for Python's asyncio; package compat says what it is
asked to do and what it prints."""

import asyncio
import os
import sys
from pathlib import Path

import glide

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python-common"))

import program


# What arrives before the library's call has returned is printed after it.
early = []


def hear(m, context):
    words = ("pmessage", m.pattern, m.channel, m.message) if m.pattern else ("message", m.channel, m.message)
    if early is None:
        program.say(*words)
    else:
        early.append(words)


async def connect(place):
    cluster = place.kind == "cluster"
    config = glide.GlideClusterClientConfiguration if cluster else glide.GlideClientConfiguration
    options = {"protocol": glide.ProtocolVersion.RESP2}
    if place.resp == 3:  # without it there are no subscriptions
        subscriptions = config.PubSubSubscriptions(channels_and_patterns={}, callback=hear, context=None)
        options = {"pubsub_subscriptions": subscriptions}
    client = glide.GlideClusterClient if cluster else glide.GlideClient
    return await client.create(config([glide.NodeAddress(place.host, place.port)], **options))


async def main():
    global early
    task, place, rest = program.arguments()
    client = await connect(place)
    if task == "keys":
        await asyncio.gather(*(client.set(f"key:{n}", str(n)) for n in range(50)))
        program.report(await asyncio.gather(*(client.get(f"key:{n}") for n in range(50))))
        await client.close()
    elif task == "subscribe":
        await (client.psubscribe if program.is_patterns(rest) else client.subscribe)(set(rest))
        for name in rest:
            program.say("subscribed", name)
        for words in early:
            program.say(*words)
        early = None
        await asyncio.to_thread(sys.stdin.read)
        sys.stdout.flush()
        os._exit(0)  # whatever threads the library has
    else:
        raise SystemExit(f"no such task: {task}")


asyncio.run(main())
