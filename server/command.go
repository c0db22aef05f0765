package server

// command is one entry of the command table: everything that the server knows
// about a command. Arity, permission, subscriber mode, redirection, queuing in
// MULTI and COMMAND's own replies all read it; no handler repeats a check.
type command struct {
	name  string // lower case; for a subcommand the part after the container
	arity int    // with the name (and the container's); negative = at least
	flags flags
	// categories beside those that follow from the flags.
	categories category
	keys       []keySpec
	group      string // as COMMAND DOCS names it
	since      string // the release of Redis that brought it
	handler    func(*call)
	// subcommands makes it a container, such as CLUSTER.
	subcommands []*command
	tips        []string
	// findKeys is set where keys or their flags depend on more than the specs
	// can say.
	findKeys func(args [][]byte) (keys []usedKey, ok bool)

	// The rest is filled in by newTable.
	parent   *command
	fullName string // "cluster|slots"
	byName   map[string]*command
	stats    commandStats
}

type flags uint64

// The flags that COMMAND reports, and below them those that only steer the
// server.
const (
	write flags = 1 << iota
	readonly
	denyOOM
	admin
	pubsub
	noScript
	blocking
	loading
	stale
	skipMonitor
	skipSlowlog
	asking // ASKING is implied
	fast
	noAuth // allowed before authentication
	noMulti
	movableKeys
	allowBusy
	noAsyncLoading
	noMandatoryKeys
	protected // DEBUG, MODULE
	// mayReplicate commands are no writes and yet pass to replicas, so that
	// CLIENT PAUSE WRITE holds them. COMMAND of Redis keeps the flag to itself.
	mayReplicate

	// onOwner commands run on the goroutine that owns the state machine.
	onOwner
	// allSlots commands run with every slot locked.
	allSlots
	// eachSlot commands lock slots one by one, or inside EXEC find all locked.
	eachSlot
	// subscribes marks commands which may make the connection a listener.
	subscribes
	// allowedSubscribed commands may be sent by a RESP2 subscriber.
	allowedSubscribed
	// notQueued commands run inside MULTI instead of being queued.
	notQueued
	// runsExec is EXEC, which takes the locks of what was queued.
	runsExec
	// readsMap commands are ordered with rows by the commit lock, as CLUSTER
	// SLOTS is.
	readsMap
	// setsAsking is ASKING, whose mark outlives it by one command.
	setsAsking
	// tracks is CLIENT TRACKING, from whose reply on invalidations can come.
	tracks
	// keepsCaching are the CLIENT commands, over which CLIENT CACHING reaches.
	keepsCaching
	// setsSlot is CLUSTER SETSLOT, whose NODE waits for busy keys.
	setsSlot
	// migrates is MIGRATE, which is served while its slot is open, and cannot be
	// part of a transaction because it waits for another server.
	migrates
	// waits marks other commands that wait for more than a lock, or take long
	// over something that nobody else has to wait for.
	waits
)

// flagNames are the names in COMMAND's reply, in its order.
var flagNames = []struct {
	flag flags
	name string
}{
	{write, "write"}, {readonly, "readonly"}, {denyOOM, "denyoom"}, {admin, "admin"},
	{pubsub, "pubsub"}, {noScript, "noscript"}, {blocking, "blocking"},
	{loading, "loading"}, {stale, "stale"}, {skipMonitor, "skip_monitor"},
	{skipSlowlog, "skip_slowlog"}, {asking, "asking"}, {fast, "fast"},
	{noAuth, "no_auth"},
	{noAsyncLoading, "no_async_loading"}, {noMulti, "no_multi"},
	{movableKeys, "movablekeys"}, {allowBusy, "allow_busy"},
	{noMandatoryKeys, "no_mandatory_keys"},
}

// category is a set of ACL categories.
type category uint32

const (
	catKeyspace category = 1 << iota
	catRead
	catWrite
	catSet
	catSortedSet
	catList
	catHash
	catString
	catBitmap
	catHyperLogLog
	catGeo
	catStream
	catPubSub
	catAdmin
	catFast
	catSlow
	catBlocking
	catDangerous
	catConnection
	catTransaction
	catScripting
)

// categoryNames are in the order in which COMMAND INFO lists them.
var categoryNames = []struct {
	category category
	name     string
}{
	{catKeyspace, "@keyspace"}, {catRead, "@read"}, {catWrite, "@write"},
	{catSet, "@set"}, {catSortedSet, "@sortedset"}, {catList, "@list"},
	{catHash, "@hash"}, {catString, "@string"}, {catBitmap, "@bitmap"},
	{catHyperLogLog, "@hyperloglog"}, {catGeo, "@geo"}, {catStream, "@stream"},
	{catPubSub, "@pubsub"}, {catAdmin, "@admin"}, {catFast, "@fast"},
	{catSlow, "@slow"}, {catBlocking, "@blocking"}, {catDangerous, "@dangerous"},
	{catConnection, "@connection"}, {catTransaction, "@transaction"},
	{catScripting, "@scripting"},
}

// allCategories adds those that follow from the flags, as Redis derives them.
func (cmd *command) allCategories() category {
	c := cmd.categories
	if cmd.flags&write != 0 {
		c |= catWrite
	}
	if cmd.flags&readonly != 0 && c&catScripting == 0 {
		c |= catRead
	}
	if cmd.flags&admin != 0 {
		c |= catAdmin | catDangerous
	}
	if cmd.flags&pubsub != 0 {
		c |= catPubSub
	}
	if cmd.flags&fast != 0 {
		c |= catFast
	}
	if cmd.flags&blocking != 0 {
		c |= catBlocking
	}
	if c&catFast == 0 {
		c |= catSlow
	}
	return c
}

// keySpec tells where keys stand among the arguments: from where to begin,
// and how to go on from there (Redis calls them begin search and find keys).
type keySpec struct {
	flags keyFlags
	// begin is the index of the first key, or of the key count. With keyword
	// set it is where the search for that word begins (negative: from the
	// end, backwards) and the first key follows the word.
	begin   int
	keyword string
	// last is relative to the first key: 0 = that one only, negative counts
	// from the end of the arguments (-1 = the last one).
	last int
	step int // between keys, at least 1
	// limit divides what is left when last is negative: 2 = the first half.
	limit int
	// count means that begin holds the number of keys, which follow it.
	count bool
	// unknown means that only findKeys of the command tells the places.
	unknown bool
	// notes is a remark for COMMAND INFO.
	notes string
}

type keyFlags uint16

const (
	keyRW keyFlags = 1 << iota
	keyRO
	keyOW
	keyRM
	keyAccess
	keyUpdate
	keyInsert
	keyDelete
	keyNotKey // a channel that is hashed like a key
	keyIncomplete
	keyVariable
)

var keyFlagNames = []struct {
	flag keyFlags
	name string
}{
	{keyRO, "RO"}, {keyRW, "RW"}, {keyOW, "OW"}, {keyRM, "RM"},
	{keyAccess, "access"}, {keyUpdate, "update"}, {keyInsert, "insert"},
	{keyDelete, "delete"}, {keyNotKey, "not_key"},
	{keyIncomplete, "incomplete"}, {keyVariable, "variable_flags"},
}

// oneKey is the spec of a command with a single key as its first argument.
func oneKey(f keyFlags) []keySpec { return []keySpec{{flags: f, begin: 1, step: 1}} }

// keyRange is the spec of keys at fixed places.
func keyRange(f keyFlags, first, last, step int) []keySpec {
	rel := last
	if last >= 0 {
		rel = last - first
	}
	return []keySpec{{flags: f, begin: first, last: rel, step: step}}
}
