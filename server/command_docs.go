package server

// docLines is the documentation of every command in Redis's terms: the names,
// types and tokens of arguments are facts that clients read (redis-cli makes
// its hints of them), the words are slotcast's. A line has
//
//	name | complexity | summary | arguments | remark
//
// where the remark, if any, is "syscmd", or "deprecated", a release and what
// to use instead. A minus stands for nothing: some complexities are none of
// Redis's facts. Arguments are written so:
//
//	name              a string
//	name:type         int, double, pattern or time (a unix time)
//	name#0            a key, of the command's first key spec
//	TOKEN             the word itself; its name is that in lower case
//	name!TOKEN        a word with another name
//	TOKEN=argument    an argument after a word
//	name(a|b)         one of several
//	name{a b}         several that belong together
//	argument@7.0.0    the release that brought it; ~2.8.12 the one that deprecated it
//	argument...       may be repeated; with + its word is repeated as well
//	[argument]        may be left out
const docLines = `
acl | by subcommand | What can be asked of users and permissions. |
acl|cat | O(1) | List the categories of commands, or the commands of one. | [categoryname]
acl|genpass | O(1) | Make a random password. | [bits:int]
acl|help | O(1) | Explain the subcommands. |
acl|users | O(1) | List the names of the users. |
acl|whoami | O(1) | Name the user of this connection. |
append | O(1) amortized | Add to the end of a string, made empty if the key is missing. | key#0 value
asking | O(1) | Let the next command into a slot that is being imported. |
auth | O(1) | Give the password. | [username@6.0.0] password
bgrewriteaof | O(1) | Refused: there is no append-only file. |
bgsave | O(1) | Refused: there are no snapshots. | [SCHEDULE@3.2.2]
bitcount | O(N), N bytes looked at | Count the bits that are set. | key#0 [index{start:int end:int [index_unit(BYTE|BIT)@7.0.0]}]
bitfield | O(1) for each operation | Read and change integers of any width inside a string. | key#0 [operation(GET=encoding_offset{encoding offset:int}|write{[OVERFLOW=wrap_sat_fail(WRAP|SAT|FAIL)] write_operation(SET=encoding_offset_value{encoding offset:int value:int}|INCRBY=encoding_offset_increment{encoding offset:int increment:int})})...]
bitfield_ro | O(1) for each operation | Read integers of any width inside a string. | key#0 [GET=encoding_offset{encoding offset:int}...+]
bitop | O(N), N bytes of the longest string | Combine strings bit by bit and store the result. | operation destkey#0 key#1...
bitpos | O(N), N bytes looked at | Find the first bit that is set, or clear. | key#0 bit:int [index{start:int [end_index{end:int [index_unit(BYTE|BIT)@7.0.0]}]}]
client | by subcommand | What can be asked of connections and done to them. |
client|caching | O(1) | Choose for the next command whether its keys are tracked. | mode(YES|NO)
client|getname | O(1) | Print the name of this connection. |
client|getredir | O(1) | Print to which connection invalidations go. |
client|help | O(1) | Explain the subcommands. |
client|id | O(1) | Print the number of this connection. |
client|info | O(1) | Describe this connection. |
client|kill | O(N), N connections | End connections that match. | filter(ip:port~2.8.12|new-format([ID=client-id:int@2.8.12]|[TYPE=normal_master_slave_pubsub(NORMAL|MASTER@3.2.0|SLAVE|REPLICA@5.0.0|PUBSUB)@2.8.12]|[USER=username]|[ADDR=ip:port]|[LADDR=ip:port@6.2.0]|[SKIPME=yes/no])...)
client|list | O(N), N connections | Describe connections, one a line. | [TYPE=normal_master_replica_pubsub(NORMAL|MASTER|REPLICA|PUBSUB)@5.0.0] [ID=id{client-id:int...}@6.2.0]
client|maint_notifications | O(1) | Be told when slots move to another primary. | enabled(ON|OFF) [MOVING-ENDPOINT-TYPE=type(internal-ip|internal-fqdn|external-ip|external-fqdn|none)]
client|no-evict | O(1) | Spare this connection when clients are evicted. | enabled(ON|OFF)
client|no-touch | O(1) | Choose whether commands of this connection count as use of keys. | enabled(ON|OFF)
client|pause | O(1) | Hold the commands of all clients for a while. | timeout:int [mode(WRITE|ALL)@6.2.0]
client|reply | O(1) | Choose whether this connection is answered. | on_off_skip(ON|OFF|SKIP)
client|setinfo | O(1) | Tell the name or the version of the client library. | attr(LIB-NAME=libname|LIB-VER=libver)
client|setname | O(1) | Name this connection. | connection-name
client|tracking | O(1) | Ask to be told when keys that were read change. | status(ON|OFF) [REDIRECT=client-id:int] [PREFIX=prefix...+] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]
client|trackinginfo | O(1) | Describe how this connection tracks keys. |
client|unblock | O(1) | Wake a client that waits in a blocking command. | client-id:int [timeout_error(TIMEOUT|ERROR)]
client|unpause | O(1) | Let held clients go on. |
cluster | by subcommand | What can be asked of the cluster and done to it. |
cluster|addslots | O(N), N slots | Assign slots that nobody owns to this node. | slot:int...
cluster|addslotsrange | O(N), N slots | Assign ranges of slots that nobody owns to this node. | start-slot_end-slot{start-slot:int end-slot:int}...
cluster|bumpepoch | O(1) | Take a config epoch above all others. |
cluster|count-failure-reports | O(N), N reports | Count who reports a node as failing. | node-id
cluster|countkeysinslot | O(1) | Count the keys of a slot on this node. | slot:int
cluster|delslots | O(N), N slots | Forget the owners of slots. | slot:int...
cluster|delslotsrange | O(N), N slots | Forget the owners of ranges of slots. | start-slot_end-slot{start-slot:int end-slot:int}...
cluster|failover | O(1) | Make this replica take over from its primary. | [options(FORCE|TAKEOVER)]
cluster|flushslots | O(1) | Forget the owners of all slots. |
cluster|forget | O(1) | Remove a node from the map. | node-id
cluster|getkeysinslot | O(N), N keys asked for | List keys of a slot on this node. | slot:int count:int
cluster|help | O(1) | Explain the subcommands. |
cluster|info | O(1) | Print the state of the cluster as this node sees it. |
cluster|keyslot | O(N), N bytes of the key | Print the slot of a key. | key
cluster|links | O(N), N nodes | List the links of the cluster bus. |
cluster|meet | O(1) | Join this node and another one. | ip port:int [cluster_bus_port:int@4.0.0]
cluster|myid | O(1) | Print the id of this node. |
cluster|myshardid | O(1) | Print the id of this node's shard. |
cluster|nodes | O(N), N nodes | Print the map, one node a line. |
cluster|replicas | O(N), N nodes | Print the lines of a primary's replicas. | node-id
cluster|replicate | O(1) | Make this node a replica. | node-id
cluster|reset | O(N), N nodes | Leave the cluster. | [hard_soft(HARD|SOFT)]
cluster|saveconfig | O(N), N nodes | Write the cluster file. |
cluster|set-config-epoch | O(1) | Set the config epoch of a fresh node. | config-epoch:int
cluster|setslot | O(1) | Open a slot for a move, close it, or set its owner. | slot:int subcommand(IMPORTING=node-id|MIGRATING=node-id|NODE=node-id|STABLE)
cluster|shards | O(N), N nodes | List the shards with slots and nodes. |
cluster|slaves | O(N), N nodes | Print the lines of a primary's replicas. | node-id | deprecated 5.0.0 CLUSTER REPLICAS
cluster|slots | O(N), N ranges | List ranges of slots with their nodes. | - | deprecated 7.0.0 CLUSTER SHARDS
cluster|subscribe | O(1) | Push changed rows of the map to this connection. | SLOTS
cluster|unsubscribe | O(1) | Push no more rows of the map. | SLOTS
command | O(N), N commands | Describe all commands. |
command|count | O(1) | Count the commands. |
command|docs | O(N), N commands | Document commands for people and their tools. | [command-name...]
command|getkeys | O(N), N arguments | Find the keys among a command's arguments. |
command|getkeysandflags | O(N), N arguments | Find the keys of a command and how each is used. |
command|help | O(1) | Explain the subcommands. |
command|info | O(N), N commands | Describe the named commands. | [command-name...]
command|list | O(N), N commands | List the names of commands. | [FILTERBY=filterby(MODULE=module-name|ACLCAT=category|PATTERN=pattern:pattern)]
config | by subcommand | Read and change directives. |
config|get | O(N), N directives | Print directives with their values. | parameter{parameter}...
config|help | O(1) | Explain the subcommands. |
config|resetstat | O(1) | Set counters to zero. |
config|rewrite | O(N), N lines | Write the directives to the configuration file. |
config|set | O(N), N directives | Change directives, all or none. | parameter_value{parameter value}...
copy | O(1) | Give another key the same value. | source#0 destination#1 [DB=destination-db:int] [REPLACE]
dbsize | O(1) | Count all keys. |
debug | by subcommand | Tools for tests. | - | syscmd
decr | O(1) | Take one off a number. | key#0
decrby | O(1) | Subtract from a number. | key#0 decrement:int
del | O(N), N keys | Delete keys. | key#0...
discard | O(N), N queued commands | Forget a transaction. |
dump | O(N), N bytes of the value | Print a value in the form that RESTORE takes. | key#0
echo | O(1) | Send a text back. | message
exec | by the queued commands | Run a transaction. |
exists | O(N), N keys | Count which keys exist. | key#0...
expire | O(1) | Let a key expire after seconds. | key#0 seconds:int [condition(NX|XX|GT|LT)@7.0.0]
expireat | O(1) | Let a key expire at a time in seconds. | key#0 unix-time-seconds:time [condition(NX|XX|GT|LT)@7.0.0]
expiretime | O(1) | Tell when a key expires, in seconds. | key#0
failover | O(1) | Refused: in a cluster CLUSTER FAILOVER does this. | [TO=target{host port:int [FORCE]}] [ABORT] [TIMEOUT=milliseconds:int]
flushall | O(N), N slots with keys | Delete all keys. | [async(ASYNC@4.0.0|SYNC@6.2.0)]
flushdb | O(N), N slots with keys | Delete all keys. | [async(ASYNC@4.0.0|SYNC@6.2.0)]
function | by subcommand | What can be asked of functions, of which there are none. |
function|delete | O(1) | Delete a library of functions. | library-name
function|dump | O(1) | Print all libraries in the form that FUNCTION RESTORE takes. |
function|flush | O(1) | Delete all libraries. | [async(ASYNC|SYNC)]
function|help | O(1) | Explain the subcommands. |
function|kill | O(1) | End the function that is running. |
function|list | O(1) | List the libraries. | [LIBRARYNAME=library-name-pattern] [WITHCODE]
function|restore | O(N), N bytes of the payload | Take the libraries of another server, which must be none. | serialized-value [policy(FLUSH|APPEND|REPLACE)]
function|stats | O(1) | Tell which function is running. |
get | O(1) | Read a string. | key#0
getbit | O(1) | Read one bit of a string. | key#0 offset:int
getdel | O(1) | Read a string and delete its key. | key#0
getex | O(1) | Read a string and set or remove its expiry. | key#0 [expiration(EX=seconds:int|PX=milliseconds:int|EXAT=unix-time-seconds:time|PXAT=unix-time-milliseconds:time|PERSIST)]
getrange | O(N), N bytes answered | Read a part of a string. | key#0 start:int end:int
getset | O(1) | Write a string and read what was there. | key#0 value | deprecated 6.2.0 SET with GET
hello | O(1) | Choose the protocol, and introduce yourself. | [arguments{protover:int [AUTH=username_password{username password}] [SETNAME=clientname]}]
incr | O(1) | Add one to a number. | key#0
incrby | O(1) | Add to a number. | key#0 increment:int
incrbyfloat | O(1) | Add to a number with a fraction. | key#0 increment:double
info | O(N), N commands called | Print the state of the server. | [section...]
keys | O(N), N keys | List all keys that match a pattern. | pattern:pattern
lastsave | O(1) | Print since when there is something to save: the start. |
latency | by subcommand | Find out what took long. |
latency|doctor | O(N), N events | Report for people on what took long. |
latency|graph | O(1) | Draw the samples of an event. | event
latency|help | O(1) | Explain the subcommands. |
latency|histogram | O(N), N commands | Print how many calls took how long. | [command...]
latency|history | O(1) | List the samples of an event. | event
latency|latest | O(N), N events | List the latest sample of each event. |
latency|reset | O(N), N events | Forget samples. | [event...]
lcs | O(N*M), N and M bytes of the strings | Find the longest common subsequence of two strings. | key1#0 key2#0 [LEN] [IDX] [MINMATCHLEN=len:int] [WITHMATCHLEN]
lolwut | - | Draw the map of slots, and print the version. | [VERSION=version:int]
memory | by subcommand | Find out what uses memory. |
memory|doctor | O(1) | Report for people on the use of memory. |
memory|help | O(1) | Explain the subcommands. |
memory|malloc-stats | O(1) | Print the figures of the runtime. |
memory|purge | O(N), N objects in memory | Collect garbage and give memory back. |
memory|stats | O(1) | Print what memory is used for. |
memory|usage | O(1) | Print how many bytes a key takes. | key#0 [SAMPLES=count:int]
mget | O(N), N keys | Read several strings. | key#0...
migrate | O(N), N bytes of the values | Send keys to another server, and delete them here. | host port:int key_or_empty_string(key#0|empty_string!) destination-db:int timeout:int [COPY@3.0.0] [REPLACE@3.0.0] [authentication([AUTH=password@4.0.7]|[AUTH2=username_password{username password}@6.0.0])] [KEYS=key#1@3.0.6...]
module | by subcommand | What can be asked of modules. |
module|help | O(1) | Explain the subcommands. |
module|list | O(1) | List the loaded modules. |
monitor | - | Watch what clients send. |
move | O(1) | Refused: a cluster has one database. | key#0 db:int
mset | O(N), N keys | Write several strings. | key_value{key#0 value}...
msetnx | O(N), N keys | Write several strings if none of the keys exists. | key_value{key#0 value}...
multi | O(1) | Begin a transaction. |
object | by subcommand | Look at a value's insides. |
object|encoding | O(1) | Name the form in which a value is kept. | key#0
object|freq | O(1) | Print how often a key is used. | key#0
object|help | O(1) | Explain the subcommands. |
object|idletime | O(1) | Print how long a key has not been used. | key#0
object|refcount | O(1) | Print how often a value is referred to. | key#0
persist | O(1) | Let a key live for ever. | key#0
pexpire | O(1) | Let a key expire after milliseconds. | key#0 milliseconds:int [condition(NX|XX|GT|LT)@7.0.0]
pexpireat | O(1) | Let a key expire at a time in milliseconds. | key#0 unix-time-milliseconds:time [condition(NX|XX|GT|LT)@7.0.0]
pexpiretime | O(1) | Tell when a key expires, in milliseconds. | key#0
ping | O(1) | Find out whether the server answers. | [message]
psetex | O(1) | Write a string that expires after milliseconds. | key#0 milliseconds:int value
psubscribe | O(N), N patterns | Listen to all channels that match a pattern. | pattern{pattern:pattern}...
psync | - | Refused: this node does not replicate to others. | replicationid offset:int
pttl | O(1) | Tell how long a key lives, in milliseconds. | key#0
publish | O(N+M), N listeners and M patterns | Send a message to a channel. | channel message
pubsub | by subcommand | What can be asked of channels. |
pubsub|channels | O(N), N channels | List channels that somebody listens to. | [pattern:pattern]
pubsub|help | O(1) | Explain the subcommands. |
pubsub|numpat | O(1) | Count the patterns listened to. |
pubsub|numsub | O(N), N channels | Count the listeners of channels. | [channel...]
pubsub|shardchannels | O(N), N channels | List shard channels that somebody listens to. | [pattern:pattern]
pubsub|shardnumsub | O(N), N channels | Count the listeners of shard channels. | [shardchannel...]
punsubscribe | O(N), N patterns | Leave patterns, or all. | [pattern:pattern...]
quit | O(1) | End the connection. |
randomkey | O(1) | Name a random key. |
readonly | O(1) | Let a replica answer reads. |
readwrite | O(1) | Send reads to the primary again. |
rename | O(1) | Give a key another name. | key#0 newkey#1
renamenx | O(1) | Give a key another name that is still free. | key#0 newkey#1
replconf | O(1) | Refused: this node does not replicate to others. | - | syscmd
replicaof | O(1) | Refused: in a cluster CLUSTER REPLICATE does this. | args(host-port{host port:int}|no-one{NO ONE})
reset | O(N), N subscriptions | Make a connection like new. |
restore | O(N), N bytes of the value | Make a key of what DUMP printed. | key#0 ttl:int serialized-value [REPLACE@3.0.0] [ABSTTL@5.0.0] [IDLETIME=seconds:int@5.0.0] [FREQ=frequency:int@5.0.0]
restore-asking | O(N), N bytes of the value | Make a key in a slot that is being imported, as MIGRATE sends it. | key#0 ttl:int serialized-value [REPLACE@3.0.0] [ABSTTL@5.0.0] [IDLETIME=seconds:int@5.0.0] [FREQ=frequency:int@5.0.0] | syscmd
role | O(1) | Print the role of this node in replication. |
save | O(1) | Refused: there are no snapshots. |
scan | O(1) for each call | List all keys bit by bit. | cursor:int [MATCH=pattern:pattern] [COUNT=count:int] [TYPE=type@6.0.0]
select | O(1) | Choose database 0, the only one. | index:int
set | O(1) | Write a string. | key#0 value [condition(NX|XX)@2.6.12] [GET@6.2.0] [expiration(EX=seconds:int@2.6.12|PX=milliseconds:int@2.6.12|EXAT=unix-time-seconds:time@6.2.0|PXAT=unix-time-milliseconds:time@6.2.0|KEEPTTL@6.0.0)]
setbit | O(1) | Write one bit of a string. | key#0 offset:int value:int
setex | O(1) | Write a string that expires after seconds. | key#0 seconds:int value
setnx | O(1) | Write a string if the key does not exist. | key#0 value
setrange | O(N), N bytes written | Overwrite a part of a string. | key#0 offset:int value
shutdown | O(1) | End the process. | [nosave_save(NOSAVE|SAVE)] [NOW@7.0.0] [FORCE@7.0.0] [ABORT@7.0.0]
slaveof | O(1) | Refused: in a cluster CLUSTER REPLICATE does this. | args(host-port{host port:int}|no-one{NO ONE}) | deprecated 5.0.0 REPLICAOF
slowlog | by subcommand | Find out which commands were slow. |
slowlog|get | O(N), N entries | List the latest slow commands. | [count:int]
slowlog|help | O(1) | Explain the subcommands. |
slowlog|len | O(1) | Count the entries. |
slowlog|reset | O(N), N entries | Forget the entries. |
spublish | O(N), N listeners | Send a message to a shard channel. | shardchannel message
ssubscribe | O(N), N channels | Listen to shard channels. | shardchannel...
strlen | O(1) | Count the bytes of a string. | key#0
subscribe | O(N), N channels | Listen to channels; __cluster-slots__ tells of slot changes. | channel...
substr | O(N), N bytes answered | Read a part of a string. | key#0 start:int end:int | deprecated 2.0.0 GETRANGE
sunsubscribe | O(N), N channels | Leave shard channels, or all. | [shardchannel...]
swapdb | O(1) | Refused: a cluster has one database. | index1:int index2:int
sync | - | Refused: this node does not replicate to others. |
time | O(1) | Print the time of this node. |
touch | O(N), N keys | Count keys, and note their use. | key#0...
ttl | O(1) | Tell how long a key lives, in seconds. | key#0
type | O(1) | Name the type of a value. | key#0
unlink | O(N), N keys | Delete keys. | key#0...
unsubscribe | O(N), N channels | Leave channels, or all. | [channel...]
unwatch | O(N), N watched keys | Forget what is watched. |
wait | O(1) | Wait until replicas have what was written. | numreplicas:int timeout:int
waitaof | O(1) | Wait until what was written is on disk. | numlocal:int numreplicas:int timeout:int
watch | O(N), N keys | Let a later EXEC fail if one of the keys changes. | key#0...
`
