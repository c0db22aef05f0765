// Command slotcast is one node of a Redis-compatible cluster whose clients are
// told of slot changes. See README.md for what that looks like.
//
//	slotcast [path/to/redis.conf] [--directive value …] [--local-cluster N]
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"slotcast/config"
	"slotcast/nodesfile"
	"slotcast/server"
)

// version is slotcast's own.
const version = "0.1.0"

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is the life of the process, from its arguments to the end of the last
// connection. An error means that it could not start, or had to stop.
func run(args []string, stdin io.Reader, stdout io.Writer) error {
	c, warnings, err := config.Load(args, stdin)
	if err != nil {
		return err
	}
	switch c.Action() {
	case config.ShowVersion:
		fmt.Fprintf(stdout, "slotcast v=%s redis=%s go=%s bits=%d\n", version, server.RedisVersion, runtime.Version(), strconv.IntSize)
		return nil
	case config.ShowHelp:
		fmt.Fprint(stdout, config.Help())
		return nil
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)

	v := c.Values()
	out, err := openLog(v, stdout)
	if err != nil {
		return err
	}
	defer out.Close()
	handler := newLineHandler(out, currentLevel{c})
	log := slog.New(handler)
	log.Info(fmt.Sprintf("slotcast version=%s, bits=%d, PID: %d", version, strconv.IntSize, os.Getpid()))
	for _, w := range warnings {
		log.Warn(w.String())
	}
	if c.LocalCluster() > 0 {
		return runLocalCluster(c, handler, signals)
	}

	file, err := nodesfile.Open(v.Path(v.ClusterConfigFile))
	if errors.Is(err, nodesfile.ErrLocked) {
		return fmt.Errorf("%w: is another node running in this folder with the same port? Give this one another --port or --cluster-config-file", err)
	}
	if err != nil {
		return err
	}
	defer file.Close()

	fatal := make(chan error, 1)
	s, err := server.New(server.Options{
		Config: c, Log: log, Storage: file, Version: version,
		Fatal: func(err error) {
			select {
			case fatal <- err:
			default:
			}
		},
	})
	if err != nil {
		return err
	}
	if err := s.OpenListeners(); err != nil {
		s.Close(context.Background())
		return err
	}
	removePid, err := writePidFile(v)
	if err != nil {
		log.Warn("the pid file could not be written", "error", err)
	}
	defer removePid()
	greet(log, s, v)

	for {
		select {
		case err := <-fatal:
			log.Error("the node cannot go on", "error", err)
			return err
		case sig := <-signals:
			log.Info("received a signal, shutting down", "signal", sig.String())
			signal.Stop(signals) // a second one ends the process at once
			stop(s, log)
			return nil
		case <-s.Shutdown():
			log.Info("SHUTDOWN by a client")
			stop(s, log)
			return nil
		}
	}
}

// drainTime bounds how long clients may take to read their last replies.
const drainTime = 5 * time.Second

// farewell is the last line of the log, as tools look for it.
const farewell = "slotcast is now ready to exit, bye bye..."

func stop(s *server.Server, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	s.Close(ctx)
	log.Info(farewell)
}

// greet says that the node is ready, in the words that test harnesses and
// container tools wait for, and what a newcomer may try.
func greet(log *slog.Logger, s *server.Server, v *config.Values) {
	id, slots := s.Describe()
	log.Info("node " + id + ", " + slots)
	log.Info("Server initialized")
	for _, addr := range s.Addresses() {
		log.Info("Ready to accept connections", "addr", addr)
	}
	log.Info(fmt.Sprintf("Try: redis-cli -p %d SUBSCRIBE __cluster-slots__", v.Port))
	log.Info(fmt.Sprintf("and: redis-cli -p %d CLUSTER DELSLOTS 5461, then ADDSLOTS 5461", v.Port))
}

// currentLevel is the loglevel directive, which CONFIG SET changes.
type currentLevel struct{ config *config.Config }

func (l currentLevel) Level() slog.Level { return slogLevel(l.config.Values().LogLevel) }

// openLog opens logfile; empty means standard output.
func openLog(v *config.Values, stdout io.Writer) (io.WriteCloser, error) {
	if v.LogFile == "" {
		return nopCloser{stdout}, nil
	}
	f, err := os.OpenFile(v.Path(v.LogFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("can't open the log file: %w", err)
	}
	// What the runtime prints of a crash belongs into the log as well.
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil {
		return nil, fmt.Errorf("log file: %w", err)
	}
	return f, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// writePidFile writes pidfile, if there is one, and returns how to remove it.
func writePidFile(v *config.Values) (remove func(), err error) {
	if v.PidFile == "" {
		return func() {}, nil
	}
	path := v.Path(v.PidFile)
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		return func() {}, err
	}
	return func() { os.Remove(path) }, nil
}
