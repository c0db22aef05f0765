package server

import (
	"context"
	"log/slog"
	"strings"
	"time"
)

// Why the server ends a connection is a sentence where it does. The log has it
// as it stands; INFO, which counts each reason, and CLIENT LIST, which shows it
// until the connection has gone, have it as one word.

// The reasons that Redis counts, too, and warns of.
const (
	endedByHardLimit  = "output buffer above its hard limit"
	endedBySoftLimit  = "output buffer above its soft limit for too long"
	endedByQueryLimit = "query buffer above its limit"

	endedByKill = "ended by CLIENT KILL"
)

// asWord makes a reason one word.
func asWord(reason string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}
		return r
	}, reason)
}

// noteEnd logs and counts why the server ends a connection. When a client has
// hung up by itself there is no reason, and nothing to note.
func (c *conn) noteEnd() {
	reason := c.outbox.closeReason()
	if reason == "" {
		return
	}
	level := slog.LevelInfo
	switch reason {
	case endedByHardLimit, endedBySoftLimit, endedByQueryLimit:
		level = slog.LevelWarn
	}
	c.server.log.Log(context.Background(), level, "client closed", "client", c.id, "addr", c.remoteAddr(), "reason", reason)
	c.server.stats.countEnding(reason)
}

// countEnding counts a connection that the server ends.
func (s *stats) countEnding(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endings == nil {
		s.endings = make(map[string]int64)
	}
	s.endings[reason]++
}

// endingCounts lists the reasons in order, and adds up those that Redis counts.
func (s *stats) endingCounts() (list []endingCount, queryLimit, outputLimit int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, reason := range sortedKeys(s.endings) {
		list = append(list, endingCount{asWord(reason), s.endings[reason]})
	}
	return list, s.endings[endedByQueryLimit], s.endings[endedByHardLimit] + s.endings[endedBySoftLimit]
}

// endingCount is how many connections the server has ended for a reason.
type endingCount struct {
	word  string
	count int64
}

// fate is what an operator wants to see before a connection goes: the reason
// why it is being ended, empty if it is not, whether what waits for it is still
// written, and for how long it has been above a soft limit that will end it.
func (o *outbox) fate() (reason string, state outboxState, overSoft time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	since := o.softSince
	if since == 0 || o.noticesSince != 0 && o.noticesSince < since {
		since = o.noticesSince
	}
	if since != 0 && o.state == outboxOpen {
		overSoft = max(time.Duration(time.Now().UnixNano()-since), 1)
	}
	return o.reason, o.state, overSoft
}

// listed reports whether CLIENT LIST shows the connection: unless somebody has
// ended it by CLIENT KILL, who wants to see it gone, or it ends by itself, until
// it has left.
func (c *conn) listed() bool {
	if !c.killed.Load() {
		return true
	}
	reason, _, _ := c.outbox.fate()
	return reason != "" && reason != endedByKill
}
