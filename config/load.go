package config

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Load reads the configuration that args, the arguments after the program's
// name, ask for: a file, standard input, directives on the command line, in
// this order; what comes later wins. stdin is read only if args say so.
//
// A failed Load returns a *LoadError. The warnings are for the log; they are in
// the order of the table.
func Load(args []string, stdin io.Reader) (*Config, []Warning, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, nil, &LoadError{Reason: "the working directory cannot be found: " + errnoText(err)}
	}
	cmd := parseArgs(args)
	l := newLoader(cwd)
	if cmd.action != Serve {
		c := &Config{action: cmd.action}
		l.fillIn()
		c.now.Store(newState(l.texts))
		return c, nil, nil
	}

	c := &Config{}
	if cmd.file != "" {
		c.file = absolute(cwd, cmd.file)
		if err := l.files(c.file); err != nil {
			return nil, nil, err
		}
	}
	if cmd.stdin {
		if err := l.stdin(stdin); err != nil {
			return nil, nil, err
		}
	}
	if c.localCluster, err = cmd.takeLocalCluster(); err != nil {
		return nil, nil, err
	}
	for i, line := range cmd.lines {
		if err := l.line(place{source: "the command line", number: i + 1, text: line}); err != nil {
			return nil, nil, err
		}
	}

	if _, given := l.set[rows["port"]]; !given && c.localCluster > 0 {
		l.texts[rows["port"]] = localPort
	}
	l.fillIn()
	if c.localCluster > 0 {
		if err := l.checkLocalCluster(c.localCluster); err != nil {
			return nil, nil, err
		}
	}
	if err := l.checkTogether(); err != nil {
		return nil, nil, err
	}
	warnings, err := l.judge()
	if err != nil {
		return nil, nil, err
	}
	c.given = make(map[string]bool)
	for i := range l.set {
		c.given[table[i].name] = true
	}
	c.now.Store(newState(l.texts))
	return c, warnings, nil
}

func newLoader(cwd string) *loader {
	return &loader{
		texts: defaultTexts(),
		set:   make(map[int]place),
		dir:   cwd,
	}
}

// fillIn gives the directives whose default depends on others their value.
func (l *loader) fillIn() {
	l.texts[rows["dir"]] = l.dir
	if i := rows["cluster-config-file"]; l.texts[i] == "" {
		l.texts[i] = defaultClusterFile(l.texts)
	}
}

func defaultClusterFile(texts []string) string {
	return "nodes-" + texts[rows["port"]] + ".conf"
}

// checkTogether refuses values that are good one by one and cannot be served
// together. redis-server finds the same faults once it starts to listen.
func (l *loader) checkTogether() error {
	t := textsReader(l.texts)
	if t.text("bind") == "" {
		return l.wrong("bind", "No bind address is configured, but it is required for the Cluster bus.")
	}
	if t.int("port") == 0 && t.text("unixsocket") == "" && t.int("tls-port") == 0 {
		return l.wrong("port", "Configured to not listen anywhere: port is 0 and there is no unixsocket.")
	}
	if t.int("port")+busPortOffset > 65535 && t.int("cluster-port") == 0 {
		return l.wrong("port", "Redis port number too high: the cluster bus listens "+
			strconv.Itoa(busPortOffset)+" above it, so it must be 55535 or less, or cluster-port must be given.")
	}
	return nil
}

// judge applies the status of each row to what was set.
func (l *loader) judge() ([]Warning, error) {
	ignored := make(map[string]bool)
	for _, name := range strings.Fields(l.texts[rows["ignore-unsupported"]]) {
		ignored[name] = true
	}
	var warnings []Warning
	for i := range table {
		d := &table[i]
		if d.status == works || l.texts[i] == d.def {
			continue
		}
		if d.isUnsafe(l.texts[i]) && !ignored[d.name] {
			return nil, l.wrong(d.name, canBeIgnored(d.why, d.name))
		}
		if d.name == "cluster-enabled" {
			if l.texts[i] == "yes" {
				continue
			}
			// Told to overlook the no, the node starts as if nothing was said.
			l.texts[i] = ""
		}
		at := l.set[i]
		warnings = append(warnings, Warning{Directive: d.name, Source: at.source, Line: at.number, Why: d.why})
	}
	for _, line := range l.fileOnly {
		if line.name == "user" && isStockUser(line.words, l.texts[rows["requirepass"]]) {
			continue
		}
		why := fileOnly[line.name]
		if !ignored[line.name] {
			return nil, line.at.wrong(canBeIgnored(why, line.name))
		}
		warnings = append(warnings, Warning{Directive: line.name, Source: line.at.source, Line: line.at.number, Why: why})
	}
	return warnings, nil
}

// wrong is the error of a directive, at the line that set it last.
func (l *loader) wrong(name, reason string) error {
	if at, ok := l.set[rows[name]]; ok {
		return at.wrong(reason)
	}
	return &LoadError{Reason: reason}
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
