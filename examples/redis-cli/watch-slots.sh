#!/bin/sh
# Follows the slot map of a cluster with redis-cli, as JSON: the whole map
# first, then each range of slots that changes.
#
#   watch-slots.sh [host] [port]
#
# A lost connection is subscribed anew, and the map that comes first makes up
# for the changes that were missed.

host=${1:-127.0.0.1}
port=${2:-6379}

while :; do
	# Without a terminal redis-cli prints each message as three lines: its
	# kind, its channel and its payload.
	redis-cli -h "$host" -p "$port" SUBSCRIBE __cluster-slots__:json __cluster-slots__:snapshot:json |
		while read -r kind && read -r channel && read -r payload; do
			case "$kind $channel" in
			"message __cluster-slots__:snapshot:json") echo "map $payload" ;;
			"message __cluster-slots__:json") echo "change $payload" ;;
			esac
		done
	echo "connection lost, trying again" >&2
	sleep 1
done
