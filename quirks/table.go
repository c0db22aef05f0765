package quirks

// Table lists the libraries whose ordinary listener cannot read a nested row.
// An entry gets a Before, or leaves, when a release of its library can.
//
// Libraries that read rows need no entry, and what they send is of no account:
// redis-py, valkey-py, predis, redis-rs, GlideJS. Those that cannot and never
// say who they are (redigo, radix, phpredis, go-redis 8, single connections of
// iovalkey, Redisson) cannot have one: for them is __cluster-slots__:json.
var Table = []Entry{
	{
		Library: "go-redis",
		LibName: "go-redis", // go-redis(,go1.26.8): always with the version of Go
		Reason:  "the process ends: interface {} is int64, not string",
		Shown:   "compat: go-redis-9",
	},
	{
		Library: "rueidis",
		LibName: "rueidis",
		Reason:  "the message arrives empty",
		Shown:   "compat: rueidis-1",
	},
	{
		Library: "valkey-go",
		LibName: "valkey",
		Reason:  "the message arrives empty",
		Shown:   "compat: valkey-go-1",
	},
	{
		Library: "valkey-glide for Go",
		LibName: "GlideGo",
		Reason:  "the message is dropped, or garbled for a pattern",
		Shown:   "compat: glide-go-2",
	},
	{
		Library: "valkey-glide for Python",
		LibName: "GlidePy",
		Reason:  "the message is dropped",
		Shown:   "compat: glide-python-2",
	},
	{
		Library: "valkey-glide for Python, blocking",
		LibName: "GlidePySync",
		Reason:  "the message is dropped",
		Shown:   "compat: glide-python-sync-2",
	},
	{
		Library: "node-redis",
		LibName: "node-redis", // node-redis(tag) with clientInfoTag
		Reason:  "string listeners get the elements joined by commas; version 5 loses the message on RESP3",
		Shown:   "compat: node-redis-6",
	},
	{
		Library: "ioredis",
		LibName: "ioredis", // ioredis(tag) with clientInfoTag
		Reason:  "the message event has the elements joined by commas",
		Shown:   "compat: ioredis-6",
	},
	{
		Library:    "iovalkey, and ioredis before it sent a LIB-NAME, as cluster clients",
		ClientName: "ioredis-cluster(subscriber)",
		Reason:     "the message event has the elements joined by commas",
		Shown:      "compat: iovalkey-0",
	},
	{
		Library: "Jedis",
		LibName: "jedis*", // jedis(suffix) by ClientSetInfoConfig
		Reason:  "subscribe() throws a ClassCastException",
		Shown:   "compat: jedis-8",
	},
	{
		Library: "Lettuce",
		LibName: "Lettuce", // Lettuce(suffix) by LibraryInfo
		Reason:  "the last string of the row alone; on RESP3 the message is lost and what was read with it waits",
		Shown:   "compat: lettuce-7",
	},
	{
		Library: "StackExchange.Redis",
		LibName: "SE.Redis*", // SE.Redis-suffix by AddLibraryNameSuffix
		Reason:  "one callback for each element of the row",
		Shown:   BySource,
	},
}

// Followers lists the libraries that follow moves of slots by SMIGRATED, and that
// name themselves. How long moves are best gathered is measured: bench -measure
// reshard shows what a hold saves a client and what it costs.
var Followers = []Follower{
	{
		Entry: Entry{
			Library: "node-redis",
			LibName: "node-redis",
			Reason:  "moves the slots in its own map; holds back what it writes to the old owner until the replies on their way are there",
			Shown:   "compat: node-redis-6",
		},
		// With 10 or 20 ms some MOVED come back, and no latency gets better by more
		// than one run differs from the next.
		Hold: 0,
	},
	{
		Entry: Entry{
			Library: "redis-py",
			LibName: "redis-py",
			Reason:  "reads the whole map for each frame, one reading inside the other: with a frame for each slot an operation took 17 s",
			Shown:   "compat: redis-py-8",
		},
		Hold: Gathered,
	},
	{
		Entry: Entry{
			Library: "go-redis, with MaintNotificationsConfig",
			LibName: "go-redis",
			Reason:  "reads the whole map, but never twice within 200 ms",
			Shown:   "compat: go-redis-9",
		},
		Hold: Gathered,
	},
}
