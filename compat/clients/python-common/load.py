"""The load task: four threads with one client until standard input ends."""

import array
import collections
import random
import sys
import threading
import time

WORKERS = 4


def run(client):
    ended = threading.Event()
    begun = threading.Barrier(WORKERS + 1)
    workers = [Worker(client, ended, begun) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    begun.wait()
    print("loading", flush=True)
    sys.stdin.read()
    ended.set()
    for worker in workers:
        worker.join()

    durations = sorted(d for worker in workers for d in worker.durations)
    failures = sum((worker.failures for worker in workers), collections.Counter())

    def at(part):
        return durations[min(len(durations) - 1, int(len(durations) * part))] if durations else 0

    print("operations", len(durations) + failures.total())
    print("errors", failures.total())
    print("p50", at(0.5))
    print("p99", at(0.99))
    print("max", at(1), flush=True)
    for text, times in failures.items():
        print(f"{times} times: {text}", file=sys.stderr)


class Worker(threading.Thread):
    def __init__(self, client, ended, begun):
        super().__init__(daemon=True)
        self.client = client
        self.ended = ended
        self.begun = begun  # passed once each worker has done something
        self.durations = array.array("L")  # of what went well, in microseconds
        self.failures = collections.Counter()  # how often, by text

    def run(self):
        self.operate()
        self.begun.wait()
        while not self.ended.is_set():
            self.operate()

    def operate(self):
        key = f"load:{random.randrange(10000)}"
        begin = time.perf_counter_ns()
        try:
            if random.random() < 0.5:
                self.client.set(key, key)
            else:
                self.client.get(key)
            self.durations.append((time.perf_counter_ns() - begin) // 1000)
        except Exception as e:
            self.failures[f"{type(e).__name__}: {e}"] += 1
