package server

import (
	"sync/atomic"
	"time"
)

// clock tells the time to commands. Asking the system costs as much as a small
// command, so the monotonic clock alone is asked, once for each command, and
// the wall clock follows from it; cron looks whether somebody has moved it.
type clock struct {
	start time.Time    // when the clock was made
	wall  atomic.Int64 // unix nanoseconds of the start by today's wall clock
}

func newClock() *clock {
	c := &clock{start: time.Now()}
	c.sync()
	return c
}

// sync takes over a wall clock that was moved.
func (c *clock) sync() {
	now := time.Now()
	c.wall.Store(now.UnixNano() - int64(now.Sub(c.start)))
}

// now is the time since the clock was made.
func (c *clock) now() time.Duration { return time.Since(c.start) }

// unixMilli is the wall clock's view of a time.
func (c *clock) unixMilli(at time.Duration) int64 {
	return (c.wall.Load() + int64(at)) / int64(time.Millisecond)
}

// time is unixMilli with all digits.
func (c *clock) time(at time.Duration) time.Time { return time.Unix(0, c.wall.Load()+int64(at)) }
