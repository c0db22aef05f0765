package testcluster_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// run runs a function with a test that is none, in a goroutine of its own as a
// test has one, and returns how it failed and what it has logged: for the
// examples, which have no test, and to see how a test fails.
func run(f func(t testing.TB)) (failure, logged string) {
	t := new(standIn)
	done := make(chan struct{})
	go func() { // ends with the function and what it left to Cleanup
		defer close(done)
		defer func() {
			for _, c := range slices.Backward(t.cleanups) {
				c()
			}
		}()
		f(t)
	}()
	<-done
	return strings.Join(t.failures, "\n"), strings.Join(t.logs, "\n")
}

// standIn has as much of testing.T as the package uses.
type standIn struct {
	testing.TB
	cleanups []func()

	mu             sync.Mutex // guards the rest
	failures, logs []string
}

func (t *standIn) Helper()          {}
func (t *standIn) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *standIn) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}

func (t *standIn) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

func (t *standIn) Logf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.logs = append(t.logs, fmt.Sprintf(format, args...))
}

func (t *standIn) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}
