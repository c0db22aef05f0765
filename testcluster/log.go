package testcluster

import (
	"bytes"
	"log/slog"
	"sync"

	"slotcast/config"
)

// log keeps what the nodes log until it is known whether the test fails.
type log struct {
	mu   sync.Mutex // guards the rest
	text bytes.Buffer
	cut  bool // the beginning is gone
}

// maxLog bounds what is kept.
const maxLog = 1 << 20

// Write implements io.Writer, for one line.
func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() > maxLog {
		l.text.Next(maxLog / 2)
		l.text.ReadBytes('\n')
		l.cut = true
	}
	return l.text.Write(line)
}

func (l *log) handler(level config.LogLevel) slog.Handler {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	switch level {
	case config.LogDebug, config.LogVerbose:
		o.Level = slog.LevelDebug
	case config.LogWarning:
		o.Level = slog.LevelWarn
	}
	return slog.NewTextHandler(l, o)
}

// showLog shows the log of a test that has failed.
func (c *Cluster) showLog() {
	if !c.tb.Failed() {
		return
	}
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	beginning := ""
	if c.log.cut {
		beginning = " (its beginning is cut off)"
	}
	c.tb.Logf("testcluster: the log of the nodes%s:\n%s", beginning, c.log.text.String())
}
