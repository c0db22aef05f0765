"""What the programs for Python have in common: the arguments, the tasks and
the lines that package compat describes.

A driver of a blocking library has

    connect(place, mode)                      a client that is ready
    messages(client, names, patterns)         yields ("subscribed", name),
                                              ("message", channel, payload) and
                                              ("pmessage", pattern, channel, payload)
    follow(client, place)                     the recipe, if there is one

and a client with the methods set and get. What drives an asynchronous library
reads the arguments here and does the tasks by itself.
"""

import collections
import json
import os
import sys
import threading
import traceback

import load

Place = collections.namedtuple("Place", "host port resp kind")


def arguments():
    """The task, the Place and the words after it."""
    task, addr, resp, kind, *rest = sys.argv[1:]
    host, port = addr.rsplit(":", 1)
    return task, Place(host, int(port), int(resp), kind), rest


def main(driver):
    task, place, rest = arguments()
    if task == "subscribe":
        subscribe(driver, driver.connect(place, None), rest)
    elif task == "keys":
        keys(driver.connect(place, None))
    elif task == "load":
        client = driver.connect(place, rest[0])
        if rest[0] == "on":
            driver.follow(client, place)
        load.run(client)
    else:
        raise SystemExit(f"no such task: {task}")


def subscribe(driver, client, names):
    def read():
        try:
            for words in driver.messages(client, names, is_patterns(names)):
                say(*words)
        except BaseException:  # which would end the user's program
            traceback.print_exc()
            os._exit(1)

    # A daemon, as it ends with the program.
    threading.Thread(target=read, daemon=True).start()
    sys.stdin.read()
    sys.stdout.flush()
    os._exit(0)  # whatever threads the library has


def keys(client):
    for n in range(50):
        client.set(f"key:{n}", str(n))
    report([client.get(f"key:{n}") for n in range(50)])


def report(values):
    """Ends the keys task: how many of them are as they should be."""
    print("keys", sum(text(value) == str(n) for n, value in enumerate(values)), flush=True)


def is_patterns(names):
    return "*" in names[0]


def say(*words):
    """Prints one line; the payload of a message is its last word, as JSON."""
    *words, last = [text(word) for word in words]
    if words[0] != "subscribed":
        last = json.dumps(last, separators=(",", ":"))
    print(*words, last, flush=True)


def text(value):
    """What json cannot write: bytes, alone and as a map's keys."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [text(v) for v in value]
    if isinstance(value, dict):
        return {text(k): text(v) for k, v in value.items()}
    return value
