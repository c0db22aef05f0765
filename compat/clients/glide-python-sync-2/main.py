"""Drives the blocking clients of Valkey GLIDE 2 for Python; package compat says
what it is asked to do and what it prints."""

import sys
from pathlib import Path

import glide_sync

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python-common"))

import program


class Driver:
    def connect(self, place, mode):
        cluster = place.kind == "cluster"
        config = glide_sync.GlideClusterClientConfiguration if cluster else glide_sync.GlideClientConfiguration
        options = {"protocol": glide_sync.ProtocolVersion.RESP2}
        if place.resp == 3:  # without it there are no subscriptions
            options = {"pubsub_subscriptions": config.PubSubSubscriptions({}, None, None)}
        client = glide_sync.GlideClusterClient if cluster else glide_sync.GlideClient
        return client.create(config([glide_sync.NodeAddress(place.host, place.port)], **options))

    def messages(self, client, names, patterns):
        (client.psubscribe if patterns else client.subscribe)(set(names))
        for name in names:
            yield "subscribed", name
        while True:
            m = client.get_pubsub_message()
            if m.pattern:
                yield "pmessage", m.pattern, m.channel, m.message
            else:
                yield "message", m.channel, m.message


program.main(Driver())
