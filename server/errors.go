package server

import (
	"bytes"
	"fmt"
	"strings"

	"slotcast/tracking"
)

// respError is an error reply: its code, a space and the text, without the
// leading minus. Every text that a client can see is in this file, or is
// given by the package that owns the rule (clusterstate, gossip, config).
type respError string

func (e respError) Error() string { return string(e) }

const (
	errSyntax               respError = "ERR syntax error"
	errNotInteger           respError = "ERR value is not an integer or out of range"
	errNotFloat             respError = "ERR value is not a valid float"
	errNoSuchKey            respError = "ERR no such key"
	errWrongType            respError = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errNoAuth               respError = "NOAUTH Authentication required."
	errWrongPass            respError = "WRONGPASS invalid username-password pair or user is disabled."
	errNoPassword           respError = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
	errOOM                  respError = "OOM command not allowed when used memory > 'maxmemory'."
	errExecAbort            respError = "EXECABORT Transaction discarded because of previous errors."
	errNestedMulti          respError = "ERR MULTI calls can not be nested"
	errExecNoMulti          respError = "ERR EXEC without MULTI"
	errDiscardNoMulti       respError = "ERR DISCARD without MULTI"
	errWatchInMulti         respError = "ERR WATCH inside MULTI is not allowed"
	errNotInMulti           respError = "ERR Command not allowed inside a transaction"
	errInvalidSlot          respError = "ERR Invalid slot"
	errInvalidSlotOrCount   respError = "ERR Invalid slot or number of keys"
	errDebugProtected       respError = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server."
	errMaxClients           respError = "ERR max number of clients reached"
	errCrossSlot            respError = "CROSSSLOT Keys in request don't hash to the same slot"
	errInvalidDB            respError = "ERR DB index is out of range"
	errSelectCluster        respError = "ERR SELECT is not allowed in cluster mode"
	errShuttingDown         respError = "ERR the server is shutting down"
	errPushDisabled         respError = "ERR slot change push is disabled (cluster-slots-push no)"
	errSubscribeShardInExec respError = "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"
	errBareNeedsRESP3       respError = "ERR CLUSTER SUBSCRIBE needs RESP3, which begins with HELLO 3"
	errMovesNeedRESP3       respError = "ERR CLIENT MAINT_NOTIFICATIONS needs RESP3, which begins with HELLO 3"
	errMovesDisabled        respError = "ERR maintenance notifications are disabled (cluster-maint-notifications no)"
	errMinority             respError = "CLUSTERDOWN No majority reached, slot changes are not served"
	errStringTooLong        respError = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	errOffset               respError = "ERR offset is out of range"
	errCountOverflow        respError = "ERR increment or decrement would overflow"
	errDecrementOverflow    respError = "ERR decrement would overflow"
	errNaNOrInfinity        respError = "ERR increment would produce NaN or Infinity"
	errBitOffset            respError = "ERR bit offset is not an integer or out of range"
	errBit                  respError = "ERR bit is not an integer or out of range"
	errBitArgument          respError = "ERR The bit argument must be 1 or 0."
	errBitopNot             respError = "ERR BITOP NOT must be called with a single source key."
	errBitfieldType         respError = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is."
	errOverflowType         respError = "ERR Invalid OVERFLOW type specified"
	errBitfieldRO           respError = "ERR BITFIELD_RO only supports the GET subcommand"
	errLCSType              respError = "ERR The specified keys must contain string values"
	errLCSLenAndIdx         respError = "ERR If you want both the length and indexes, please just use IDX."
	errLCSTooLong           respError = "ERR String too long for LCS"
	errLCSLimit             respError = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"
	errLCSMemory            respError = "ERR Insufficient memory, failed allocating transient memory for LCS"
	errProtocolVersion      respError = "NOPROTO unsupported protocol version"
)

// Errors of the connection commands.
const (
	errProtocolInteger respError = "ERR Protocol version is not an integer or out of range"
	errHelloNoAuth     respError = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time"
	errClientName      respError = "ERR Client names cannot contain spaces, newlines or special characters."
	errClientID        respError = "ERR Invalid client ID"
	errKillID          respError = "ERR client-id should be greater than 0"
	errNoSuchClient    respError = "ERR No such client"
	errUnblockReason   respError = "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"
	errUnblocked       respError = "UNBLOCKED client unblocked via CLIENT UNBLOCK"
	errPauseMode       respError = "ERR CLIENT PAUSE mode must be WRITE or ALL"
	errTimeoutInteger  respError = "ERR timeout is not an integer or out of range"
	errTimeoutNegative respError = "ERR timeout is negative"
	errMonitorInExec   respError = "ERR MONITOR isn't allowed for DENY BLOCKING client"
	errMonitorKeys     respError = "ERR Replica can't interact with the keyspace"
)

// Errors of CLIENT TRACKING and CACHING.
const (
	errCaching                respError = "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled"
	errCachingYes             respError = "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."
	errCachingNo              respError = "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."
	errManyRedirects          respError = "ERR A client can only redirect to a single other client"
	errNoRedirect             respError = "ERR The client ID you want redirect to does not exist"
	errPrefixWithoutBroadcast respError = "ERR PREFIX option requires BCAST mode to be enabled"
	errSwitchBroadcast        respError = "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode."
	errSwitchOptIn            respError = "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode."
	errOptInBroadcast         respError = "ERR OPTIN and OPTOUT are not compatible with BCAST"
	errOptInAndOut            respError = "ERR You can't specify both OPTIN mode and OPTOUT mode"
)

// errPrefixOverlap is about prefixes that would tell a client twice of a key.
func errPrefixOverlap(o tracking.Overlap) respError {
	which := "another provided"
	if o.Had {
		which = "an existing"
	}
	return respError(fmt.Sprintf("ERR Prefix '%s' overlaps with %s prefix '%s'. Prefixes for a single client must not overlap.",
		cString([]byte(o.Given)), which, cString([]byte(o.Other))))
}

// Errors of the generic commands.
const (
	errMoveCluster   respError = "ERR MOVE is not allowed in cluster mode"
	errSwapDBCluster respError = "ERR SWAPDB is not allowed in cluster mode"
	errCopyCluster   respError = "ERR Copying to another database is not allowed in cluster mode"
	errSameObject    respError = "ERR source and destination objects are the same"
	errNotInt32      respError = "ERR value is out of range, value must between -2147483648 and 2147483647"
	errInvalidCursor respError = "ERR invalid cursor"
	errExpireNX      respError = "ERR NX and XX, GT or LT options at the same time are not compatible"
	errExpireGTLT    respError = "ERR GT and LT options at the same time are not compatible"
	errNotLFU        respError = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
)

// Errors of DUMP, RESTORE, MIGRATE and FUNCTION. Those about a payload itself are
// given by the dump package.
const (
	errBusyKey         respError = "BUSYKEY Target key name already exists."
	errNegativeTTL     respError = "ERR Invalid TTL value, must be >= 0"
	errIdleTime        respError = "ERR Invalid IDLETIME value, must be >= 0"
	errFrequency       respError = "ERR Invalid FREQ value, must be >= 0 and <= 255"
	errMigrateKeys     respError = "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"
	errTargetConnect   respError = "IOERR error or timeout connecting to the client"
	errTargetWrite     respError = "IOERR error or timeout writing to target instance"
	errTargetRead      respError = "IOERR error or timeout reading to target instance"
	errFunctions       respError = "ERR the payload has functions, and this node runs none"
	errRestorePolicy   respError = "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE."
	errFunctionFlush   respError = "ERR FUNCTION FLUSH only supports SYNC|ASYNC option"
	errNoLibrary       respError = "ERR Library not found"
	errNoLibraryName   respError = "ERR library name argument was not given"
	errNoScriptRunning respError = "NOTBUSY No scripts in execution right now."
)

// errFromTarget hands on what the target of MIGRATE answered.
func errFromTarget(text string) respError {
	return respError("ERR Target instance replied with error: " + text)
}

func errUnknownArgument(arg []byte) respError {
	return respError(fmt.Sprintf("ERR Unknown argument %s", cString(arg)))
}

const errProtected respError = "DENIED slotcast is running in protected mode because protected mode is enabled and no password is set for the default user. " +
	"In this mode connections are only accepted from the loopback interface. " +
	"Set a password (requirepass), or turn it off from the same host with CONFIG SET protected-mode no, or start with --protected-mode no."

func errArity(fullName string) respError {
	return respError(fmt.Sprintf("ERR wrong number of arguments for '%s' command", fullName))
}

func errUnknownSubcommand(container, sub string) respError {
	sub, _, _ = strings.Cut(sub, "\x00")
	if len(sub) > 128 {
		sub = sub[:128]
	}
	return respError(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", sub, strings.ToUpper(container)))
}

// errExecRejected is what EXEC answers when a check refuses EXEC itself.
func errExecRejected(why error) respError {
	return respError("EXECABORT Transaction discarded because of: " + strings.TrimPrefix(errorText(why), "ERR "))
}

// errUnknownCommand quotes the name and the first arguments, as many as fit
// into 128 bytes. Each ends at a zero byte, where Redis's text ends.
func errUnknownCommand(args [][]byte) respError {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		a, _, _ = bytes.Cut(a, []byte{0})
		b.WriteString("'" + string(a[:min(len(a), 128-b.Len())]) + "' ")
	}
	name, _, _ := bytes.Cut(args[0], []byte{0})
	if len(name) > 128 {
		name = name[:128]
	}
	return respError(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", name, b.String()))
}

func errHelloOption(option []byte) respError {
	return respError(fmt.Sprintf("ERR Syntax error in HELLO option '%s'", cString(option)))
}

func errClientType(name []byte) respError {
	return respError(fmt.Sprintf("ERR Unknown client type '%s'", cString(name)))
}

func errNoSuchUser(name []byte) respError {
	return respError(fmt.Sprintf("ERR No such user '%s'", cString(name)))
}

func errClientInfoOption(option []byte) respError {
	return respError(fmt.Sprintf("ERR Unrecognized option '%s'", cString(option)))
}

func errClientInfoText(option []byte) respError {
	return respError(fmt.Sprintf("ERR %s cannot contain spaces, newlines or special characters.", cString(option)))
}

// cString is as much of an argument as Redis quotes where it prints one as a
// C string.
func cString(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte{0})
	return b
}

func errExpireTime(name string) respError {
	return respError(fmt.Sprintf("ERR invalid expire time in '%s' command", name))
}

func errUnsupportedOption(option []byte) respError {
	option, _, _ = bytes.Cut(option, []byte{0})
	option = bytes.TrimRight(option, "\r\n")
	return respError(fmt.Sprintf("ERR Unsupported option %s", option))
}

func errSubscriberMode(name string) respError {
	return respError(fmt.Sprintf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", name))
}

func errReserved(channel []byte) respError {
	return respError(fmt.Sprintf("ERR channel '%s' is reserved for the server", channel))
}

func errUnknownReserved(channel []byte) respError {
	return respError(fmt.Sprintf("ERR unknown channel '%s' in the reserved family __cluster-slots__", channel))
}

func errNotShardChannel(channel []byte) respError {
	return respError(fmt.Sprintf("ERR channel '%s' is not a shard channel", channel))
}

func errSubcommandSyntax(container, sub string) respError {
	if len(sub) > 128 {
		sub = sub[:128]
	}
	return respError(fmt.Sprintf("ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP.", sub, strings.ToUpper(container)))
}

// errTooManyClients is the reason why maxclients cannot be so large.
func errTooManyClients(most int) string {
	return fmt.Sprintf("The operating system is not able to handle the specified number of clients, try with %d", most)
}

// errorText is the text of an error reply. What is not a respError comes from
// a package that knows nothing of codes, and gets the generic one.
func errorText(err error) string {
	if e, ok := err.(respError); ok {
		return string(e)
	}
	return "ERR " + err.Error()
}

// What the commands about the server itself answer.
const (
	errNoSuchCommand    respError = "ERR Invalid command specified"
	errTakesNoKeys      respError = "ERR The command has no key arguments"
	errCommandArity     respError = "ERR Invalid number of arguments specified for command"
	errCommandArguments respError = "ERR Invalid arguments specified for command"
	errNothingSaved     respError = "ERR keys live in memory alone here: nothing is saved to disk"
	errSwapDB           respError = "ERR SWAPDB is not allowed in cluster mode"
	errReplicaOf        respError = "ERR REPLICAOF not allowed in cluster mode."
	errFailover         respError = "ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead."
	// The code makes a redis-server that was pointed here try again once a
	// second; any other makes it reconnect as fast as it can.
	errNoReplication  respError = "NOMASTERLINK this node does not replicate to others"
	errNoShutdown     respError = "ERR No shutdown in progress."
	errShutdownFailed respError = "ERR Errors trying to SHUTDOWN. Check logs."
	errSlowlogCount   respError = "ERR count should be greater than or equal to -1"
	errGenPassBits    respError = "ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096"
	errSleepInExec    respError = "ERR DEBUG SLEEP is not allowed in transactions"
	errNotRESP2       respError = "ERR RESP2 is not supported by this command"
	errProtocolType   respError = "ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false"
	errRewriteInExec  respError = "ERR CONFIG REWRITE is not allowed in transactions"
)

func errNoSamples(event []byte) respError {
	return respError(fmt.Sprintf("ERR No samples available for event '%s'", event))
}

func errUnknownCategory(name []byte) respError {
	return respError(fmt.Sprintf("ERR Unknown category '%s'", name))
}
