package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"slotcast/config"
)

// lineHandler writes log records as the lines that operators of Redis know:
// pid, role, time, level sign, message. Attributes follow as key=value.
type lineHandler struct {
	mu    *sync.Mutex // guards out
	out   io.Writer
	level slog.Leveler
	pid   int
	attrs []slog.Attr
	group string
}

// withLevel returns a handler that writes to the same log.
func (h *lineHandler) withLevel(l slog.Leveler) *lineHandler {
	next := *h
	next.level = l
	return &next
}

func newLineHandler(out io.Writer, level slog.Leveler) *lineHandler {
	return &lineHandler{mu: new(sync.Mutex), out: out, level: level, pid: os.Getpid()}
}

// The levels of the loglevel directive on slog's scale; verbose is between
// debug and notice.
const (
	levelVerbose = slog.LevelDebug + 2
	levelNotice  = slog.LevelInfo
)

func slogLevel(l config.LogLevel) slog.Level {
	switch l {
	case config.LogDebug:
		return slog.LevelDebug
	case config.LogVerbose:
		return levelVerbose
	case config.LogWarning:
		return slog.LevelWarn
	}
	return levelNotice
}

func levelSign(l slog.Level) byte {
	switch {
	case l >= slog.LevelWarn:
		return '#'
	case l >= levelNotice:
		return '*'
	case l >= levelVerbose:
		return '-'
	}
	return '.'
}

// Enabled implements slog.Handler.
func (h *lineHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// Handle implements slog.Handler.
func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d:M %s %c %s", h.pid, r.Time.Format("02 Jan 2006 15:04:05.000"), levelSign(r.Level), r.Message)
	for _, a := range h.attrs {
		appendAttr(&b, "", a)
	}
	r.Attrs(func(a slog.Attr) bool {
		appendAttr(&b, h.group, a)
		return true
	})
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.out.Write(b.Bytes())
	return err
}

func appendAttr(b *bytes.Buffer, group string, a slog.Attr) {
	if a.Equal(slog.Attr{}) {
		return
	}
	value := a.Value.Resolve()
	text := value.String()
	if value.Kind() == slog.KindDuration {
		text = value.Duration().Round(time.Microsecond).String()
	}
	for _, c := range text {
		if c <= ' ' || c == '"' || c == '=' {
			text = strconv.Quote(text)
			break
		}
	}
	fmt.Fprintf(b, " %s%s=%s", group, a.Key, text)
}

// WithAttrs implements slog.Handler.
func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.attrs = append([]slog.Attr(nil), h.attrs...)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		next.attrs = append(next.attrs, a)
	}
	return &next
}

// WithGroup implements slog.Handler.
func (h *lineHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	next := *h
	next.group = h.group + name + "."
	return &next
}
