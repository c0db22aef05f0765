"""Drives redis-py; package compat says what it is asked to do and what it prints."""

import json
import sys
import threading

import redis


def connect(addr, resp, kind):
    host, port = addr.rsplit(":", 1)
    options = {} if resp == "2" else {"protocol": int(resp)}
    if kind == "cluster":
        return redis.RedisCluster(host=host, port=int(port), **options)
    return redis.Redis(host=host, port=int(port), **options)


def say(name, value):
    if isinstance(value, bytes):
        value = value.decode()
    print(name, str(value).lower() if isinstance(value, bool) else value, flush=True)


def row(values):
    """A row of replies, with nil for what is not there."""
    texts = ["nil" if v is None else v.decode() if isinstance(v, bytes) else str(v) for v in values]
    return "[" + " ".join(texts) + "]"


def status(value):
    """The library turns the status OK, and PONG, into True."""
    return "OK" if value is True else value


def commands(r, kind):
    say("ping", "PONG" if r.ping() else "nothing")
    say("set", status(r.set("greeting", "hello")))
    say("get", r.get("greeting"))
    say("get-missing", r.get("nobody") is None)
    say("setnx", r.setnx("greeting", "hi"))
    say("set-get", r.set("greeting", "hello", get=True))
    say("append", r.append("greeting", " world"))
    say("strlen", r.strlen("greeting"))
    say("getrange", r.getrange("greeting", 3, -3))
    say("incr", r.incr("counter"))
    say("incrby", r.incrby("counter", 41))
    say("decr", r.decr("counter"))
    say("incrbyfloat", r.incrbyfloat("counter", 0.5))
    try:
        say("incr-text", r.incr("greeting"))
    except redis.ResponseError as e:
        say("incr-text", e)
    say("mset", status(r.mset({"{m}1": "one", "{m}2": "two"})))
    say("mget", row(r.mget("{m}1", "{m}2", "{m}3")))
    r.set("binary", b"\x00\xff\r\n$5\x7f")
    say("binary", r.get("binary").hex())
    say("setbit", r.setbit("bits", 7, 1))
    say("bitcount", r.bitcount("bits"))
    say("expire", r.expire("greeting", 100))
    say("ttl", round(r.ttl("greeting"), -1))
    say("persist", r.persist("greeting"))
    say("exists", r.exists("{m}1", "{m}2", "{m}3"))
    say("type", r.type("greeting"))
    say("rename", status(r.rename("{m}1", "{m}4")))
    say("del", r.delete("{m}1", "{m}2", "{m}4"))
    pipeline(r)
    if kind == "single":  # the cluster client has neither
        transaction(r)
        say("watch-quiet", watch(r, lambda: None))
        say("watch-changed", watch(r, lambda: r.set("{w}watched", "changed")))
    say("scan", scan(r))


def untied(r):
    """A pipeline that is no transaction; the cluster client has no other."""
    return r.pipeline(transaction=False) if isinstance(r, redis.Redis) else r.pipeline()


def pipeline(r):
    """Spans several slots."""
    p = untied(r)
    for i in range(3):
        p.incrby(f"p{i}", i + 1)
    say("pipeline", row(p.execute()))


def transaction(r):
    p = r.pipeline(transaction=True)
    p.incr("{x}1")
    p.incrby("{x}2", 2)
    p.incr("{x}1")
    say("transaction", row(p.execute()))


def watch(r, meanwhile):
    """The compare-and-set of the library's documentation; meanwhile runs
    between the read and the write."""
    with r.pipeline() as p:
        p.watch("{w}watched")
        p.get("{w}watched")
        meanwhile()
        p.multi()
        p.set("{w}watched", "mine")
        try:
            p.execute()
        except redis.WatchError:
            return "aborted"
    return "committed"


def scan(r):
    """Writes keys into many slots and counts those that a walk finds."""
    p = untied(r)
    for i in range(500):
        p.set(f"scan:{i}", i)
    p.execute()
    return len(set(r.scan_iter("scan:*", count=20)))


def text(value):
    """What json cannot write: bytes, alone and as a map's keys."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [text(v) for v in value]
    if isinstance(value, dict):
        return {text(k): text(v) for k, v in value.items()}
    return value


def subscribe(r, channels):
    sub = r.pubsub()
    if "*" in channels[0]:
        sub.psubscribe(*channels)
    else:
        sub.subscribe(*channels)
    # A daemon, as it ends with the program.
    threading.Thread(target=read, args=(sub,), daemon=True).start()
    sys.stdin.read()


def read(sub):
    for m in sub.listen():
        channel = text(m["channel"])
        payload = json.dumps(text(m["data"]), separators=(",", ":"))
        if m["type"] in ("subscribe", "psubscribe"):
            print("subscribed", channel, flush=True)
        elif m["type"] == "pmessage":
            print("pmessage", text(m["pattern"]), channel, payload, flush=True)
        else:
            print("message", channel, payload, flush=True)


def keys(r):
    for i in range(50):
        r.set(f"key:{i}", i)
    if all(r.get(f"key:{i}") == str(i).encode() for i in range(50)):
        say("keys", 50)


def main():
    what, addr, resp, kind, *channels = sys.argv[1:]
    r = connect(addr, resp, kind)
    if what == "commands":
        commands(r, kind)
    elif what == "keys":
        keys(r)
    else:
        subscribe(r, channels)


main()
