"""The driver for redis-py, of any version, and for what has been forked from it."""


class Driver:
    speaks_resp3 = True

    def __init__(self, single, cluster):
        self.single = single
        self.cluster = cluster

    def connect(self, place, mode):
        options = {"host": place.host, "port": place.port}
        if self.speaks_resp3:
            options["protocol"] = place.resp
        if mode is not None:
            options.update(self.options(place, mode))
        return (self.cluster if place.kind == "cluster" else self.single)(**options)

    def options(self, place, mode):
        """What the modes of the load task set besides."""
        return {}

    def messages(self, client, names, patterns):
        sub = client.pubsub()
        if patterns:
            sub.psubscribe(*names)
        else:
            sub.subscribe(*names)
        for m in sub.listen():
            yield words(m)


def words(m):
    """What the program says of what listen() gives."""
    if m["type"] in ("subscribe", "psubscribe"):
        return "subscribed", m["channel"]
    if m["type"] == "pmessage":
        return "pmessage", m["pattern"], m["channel"], m["data"]
    return "message", m["channel"], m["data"]
