package bus

import (
	"log/slog"
	"sync"
	"time"
)

// faults logs what is wrong with links, but not more than a line a second:
// anyone can connect and send rubbish.
type faults struct {
	log *slog.Logger

	mu      sync.Mutex // guards the rest
	last    time.Time
	skipped int
}

const faultInterval = time.Second

func (f *faults) report(text string, attrs ...any) {
	f.mu.Lock()
	now := time.Now()
	if !f.last.IsZero() && now.Sub(f.last) < faultInterval {
		f.skipped++
		f.mu.Unlock()
		return
	}
	skipped := f.skipped
	f.last, f.skipped = now, 0
	f.mu.Unlock()
	if skipped > 0 {
		attrs = append(attrs, "not_logged_before", skipped)
	}
	f.log.Warn("cluster bus: "+text, attrs...)
}
