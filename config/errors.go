package config

import "fmt"

// LoadError says where a configuration is wrong. It is a fatal error of the
// start.
type LoadError struct {
	Source string // the file, or "standard input", or "command line"
	Line   int    // from 1; on the command line the number of the directive
	Text   string // the line as it stands
	Reason string
}

// Error has several lines, the first of which is what operators of Redis
// search their logs for.
func (e *LoadError) Error() string {
	const banner = "*** FATAL CONFIG FILE ERROR (slotcast) ***"
	if e.Line == 0 {
		return banner + "\n" + e.Reason
	}
	return fmt.Sprintf("%s\nReading the configuration file, at line %d of %s\n>>> '%s'\n%s",
		banner, e.Line, e.Source, e.Text, e.Reason)
}

// Warning says that a directive is set to something that has no effect.
type Warning struct {
	Directive string
	Source    string // as in LoadError; empty for CONFIG SET
	Line      int
	Why       string
}

func (w Warning) String() string {
	if w.Source == "" {
		return fmt.Sprintf("%s has no effect: %s", w.Directive, w.Why)
	}
	return fmt.Sprintf("%s (%s, line %d) has no effect: %s", w.Directive, w.Source, w.Line, w.Why)
}

// SetFailed is the error reply of a CONFIG SET that failed for one directive.
// The server uses it too, for what goes wrong while a change is applied, such
// as "Unable to listen on this port. Check server logs." for port.
func SetFailed(name, reason string) error {
	return fault("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + reason)
}

func unknownOption(name string) error {
	return fault("ERR Unknown option or number of arguments for CONFIG SET - '" + name + "'")
}

const errNoFile = fault("ERR The server is running without a config file")

func rewriteFailed(err error) error {
	return fault("ERR Rewriting config file: " + errnoText(err))
}

// canBeIgnored tells how to start in spite of a directive that protects.
func canBeIgnored(why, name string) string {
	return why + ". To start without it: --ignore-unsupported " + name
}
