package server

import (
	"slices"
	"time"

	"slotcast/clusterstate"
	"slotcast/keyspace"
	"slotcast/resp2"
)

// call is one command being run: what its handler sees. A handler checks
// nothing that the command table already says, finds the locks held that the
// table asked for, and writes exactly one reply.
type call struct {
	server *Server
	conn   *conn
	cmd    *command
	args   [][]byte
	reply  *Reply
	// start is when the command was taken up, before it waited for its locks,
	// by the server's clock.
	start time.Duration
	// now is the wall clock in unix milliseconds, one value for a whole EXEC.
	now int64
	// slot is the locked slot of the command's keys, nil without keys.
	slot *keyspace.Slot
	// view is the view by which the command was admitted.
	view *clusterstate.View
	// exec is the EXEC that the command is part of, nil outside.
	exec *execution
	// failed is set once the command answered an error.
	failed bool
	// snapshot is sent after the reply.
	snapshot [][]byte
	// mark is where the command's reply begins in the connection's buffer; in
	// an EXEC the reply is that of EXEC.
	mark int
	// from is where that begins which mute has yet to decide on.
	from int
	// silent tells that the connection ends, and a command before this one in
	// its EXEC had the last word.
	silent bool
	// shown is what MONITOR and SLOWLOG show instead of args, where these have
	// a secret among them.
	shown [][]byte
	// announced tells that the monitors know of the command.
	announced bool
	// commitLocked tells that this command holds the commit lock.
	commitLocked bool
	// held tells that this command wants the connection's bracket closed when it
	// ends, and not with the batch.
	held bool
	// acts tells that the command is known as the actor on its slot.
	acts bool
}

// fail answers an error.
func (cl *call) fail(err error) {
	cl.failed = true
	text := errorText(err)
	if !cl.silent && !cl.conn.muted() {
		cl.reply.buf = resp2.AppendError(cl.reply.buf, text)
	}
	cl.server.stats.countError(text)
}

// redact hides an argument from MONITOR and SLOWLOG.
func (cl *call) redact(i int) {
	if cl.shown == nil {
		cl.shown = slices.Clone(cl.args)
	}
	cl.shown[i] = []byte("(redacted)")
}

// shownArgs are the arguments without what redact hid.
func (cl *call) shownArgs() [][]byte {
	if cl.shown != nil {
		return cl.shown
	}
	return cl.args
}

// str is the i-th argument as a string; 0 is the command's name.
func (cl *call) str(i int) string { return string(cl.args[i]) }
