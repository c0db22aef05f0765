package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// load is Load with arguments separated by blanks.
func load(t *testing.T, args string) (*Config, []Warning, error) {
	t.Helper()
	return Load(strings.Fields(args), nil)
}

// writeFile puts a configuration into a folder of the test's own.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestDefaults(t *testing.T) {
	c := Default()
	v := c.Values()
	require.Equal(t, Serve, c.Action())
	require.Equal(t, "", c.File())
	require.Equal(t, 6379, v.Port)
	require.Equal(t, 16379, v.BusPort())
	require.Equal(t, []string{"127.0.0.1"}, v.Bind)
	require.Equal(t, "nodes-6379.conf", v.ClusterConfigFile)
	require.False(t, v.StartsEmpty)
	require.Equal(t, OutputLimit{Hard: 32 << 20, Soft: 8 << 20, SoftSeconds: 60}, v.OutputLimits[ClassPubSub])
	cwd, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, cwd, v.Dir)
	require.Equal(t, filepath.Join(cwd, "nodes-6379.conf"), v.Path(v.ClusterConfigFile))
	require.Equal(t, "/x/y", v.Path("/x/y"))
}

func TestStockFiles(t *testing.T) {
	for _, name := range []string{"stock-7.0.conf", "stock-7.2.conf"} {
		t.Run(name, func(t *testing.T) {
			c, warnings, err := Load([]string{filepath.Join("testdata", name)}, nil)
			require.NoError(t, err)
			if name == "stock-7.0.conf" {
				// The stock save points are the one thing to warn about.
				require.Len(t, warnings, 1)
				require.Equal(t, "save", warnings[0].Directive)
			} else {
				require.Empty(t, warnings)
			}
			// A default given in full is the default.
			for i := range table {
				switch table[i].name {
				case "dir", "cluster-config-file", "save", "bind":
				default:
					require.Equal(t, table[i].def, c.now.Load().texts[i], table[i].name)
				}
			}
		})
	}
}

func TestStockFilesNameEveryDirective(t *testing.T) {
	given := make(map[string]bool)
	for _, name := range []string{"stock-7.0.conf", "stock-7.2.conf"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if words := strings.Fields(line); len(words) > 0 {
				given[words[0]] = true
			}
		}
	}
	ours := map[string]bool{
		"cluster-slots-payload": true, "cluster-slots-push": true,
		"cluster-maint-notifications": true, "ignore-unsupported": true,
		// Redis in cluster mode has these, at a default of their own here.
		"port": true, "cluster-enabled": true, "cluster-config-file": true, "replicaof": true, "slaveof": true,
	}
	for name := range rows {
		require.True(t, given[name] || ours[name], name)
	}
}

func TestTableIsWhole(t *testing.T) {
	for i := range table {
		d := &table[i]
		require.Equal(t, i, rows[d.name], "%s stands in the table twice", d.name)
		require.Equal(t, d.status == works, d.why == "", "%s: a reason for what does not work, and for that alone", d.name)
		if d.name == "dir" || d.name == "cluster-config-file" || d.name == "cluster-enabled" {
			continue // their default is not a text that can be set
		}
		words := []string{d.def}
		if d.has(multi) {
			words = strings.Split(d.def, " ")
		}
		if d.name == "replicaof" {
			words = []string{"no", "one"}
		}
		text, err := d.kind.parse(words, setting{old: d.def})
		require.NoError(t, err, d.name)
		require.Equal(t, d.def, text, "%s: the default is canonical", d.name)
	}
}

func TestValuesFromArguments(t *testing.T) {
	path := writeFile(t, "a.conf", "port 7001\nmaxmemory 1kb # no comment\n")
	for _, test := range []struct {
		name  string
		args  []string
		stdin string
		want  func(*Values) any
		is    any
	}{
		{"later wins", []string{"--port", "7000", "--port", "7002"}, "", func(v *Values) any { return v.Port }, 7002},
		{"one argument", []string{"--port 7003"}, "", func(v *Values) any { return v.Port }, 7003},
		{"several values", []string{"--bind", "127.0.0.1", "-::1", "--port", "1"}, "",
			func(v *Values) any { return v.Bind }, []string{"127.0.0.1", "-::1"}},
		{"stdin first", []string{"-", "--port", "2"}, "port 1\nhz 20", func(v *Values) any { return [2]int{v.Port, v.Hz} }, [2]int{2, 20}},
		{"stdin last", []string{"--port", "2", "-"}, "port 1\nhz 20", func(v *Values) any { return [2]int{v.Port, v.Hz} }, [2]int{2, 20}},
		{"empty save", []string{"--save", "", "--hz", "11"}, "", func(v *Values) any { return v.Hz }, 11},
		{"save without value", []string{"--save", "--hz", "12"}, "", func(v *Values) any { return v.Hz }, 12},
		{"a value with dashes", []string{"--requirepass", "--secret", "--hz", "13"}, "",
			func(v *Values) any { return [2]any{v.RequirePass, v.Hz} }, [2]any{"--secret", 13}},
		{"memory", []string{"--maxmemory", "2gb"}, "", func(v *Values) any { return v.MaxMemory }, int64(2 << 30)},
		{"cluster", []string{"--cluster-enabled", "yes", "--port", "7000"}, "",
			func(v *Values) any { return [2]any{v.StartsEmpty, v.ClusterConfigFile} }, [2]any{true, "nodes-7000.conf"}},
		{"limits", []string{"--client-output-buffer-limit", "pubsub", "1mb", "1kb", "5", "replica", "0", "0", "0"}, "",
			func(v *Values) any { return v.OutputLimits },
			[classCount]OutputLimit{{}, {}, {Hard: 1 << 20, Soft: 1 << 10, SoftSeconds: 5}}},
		{"quoted", nil, "requirepass \"a\\x62\\\"c\"\n", func(v *Values) any { return v.RequirePass }, "ab\"c"},
		{"upper case", []string{"--PORT", "7", "--CLUSTER-Slots-Push", "NO"}, "",
			func(v *Values) any { return [2]any{v.Port, v.SlotsPush} }, [2]any{7, false}},
		{"mode", []string{"--unixsocketperm", "0700"}, "", func(v *Values) any { return v.UnixSocketPerm }, uint32(0o700)},
		{"lone dashes", []string{"--"}, "", func(v *Values) any { return v.Port }, 6379},
		{"enum", []string{"--loglevel", "Warning", "--cluster-slots-payload", "json", "--cluster-preferred-endpoint-type", "hostname"}, "",
			func(v *Values) any { return [3]any{v.LogLevel, v.SlotsPayload, v.PreferredEndpoint} },
			[3]any{LogWarning, PayloadJSON, EndpointHostname}},
		{"overlooked", []string{"--cluster-enabled", "no", "--ignore-unsupported", "cluster-enabled"}, "",
			func(v *Values) any { return v.StartsEmpty }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := test.args
			if args == nil {
				args = []string{"-"}
			}
			c, _, err := Load(args, strings.NewReader(test.stdin))
			require.NoError(t, err)
			require.Equal(t, test.is, test.want(c.Values()))
		})
	}
	_, _, err := Load([]string{path}, nil)
	require.ErrorContains(t, err, "at line 2 of "+path+"\n>>> 'maxmemory 1kb # no comment'\nwrong number of arguments")
}

func TestActions(t *testing.T) {
	for arg, want := range map[string]Action{"-v": ShowVersion, "--version": ShowVersion, "-h": ShowHelp, "--help": ShowHelp} {
		c, _, err := load(t, arg)
		require.NoError(t, err)
		require.Equal(t, want, c.Action())
	}
	require.Contains(t, Help(), "--ignore-unsupported")
}

func TestIncludes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("main.conf", "dir "+dir+"/sub\nport 1\ninclude parts/*.conf\ninclude none/*.conf\nhz 33\n")
	write("sub/parts/1.conf", "port 2\n")
	write("sub/parts/2.conf", "port 3\ntimeout 4\n")
	write("sub/parts/.3.conf", "port 5\n")
	c, _, err := Load([]string{filepath.Join(dir, "main.conf")}, nil)
	require.NoError(t, err)
	v := c.Values()
	require.Equal(t, []any{3, 4, 33, filepath.Join(dir, "sub")}, []any{v.Port, v.TimeoutSeconds, v.Hz, v.Dir})

	write("bad.conf", "# one\ninclude broken.conf\n")
	write("broken.conf", "\nport x\n")
	_, _, err = Load([]string{filepath.Join(dir, "bad.conf"), "--dir", dir}, nil)
	require.ErrorContains(t, err, "can't open config file")
	write("bad.conf", "dir "+dir+"\ninclude broken.conf\n")
	_, _, err = Load([]string{filepath.Join(dir, "bad.conf")}, nil)
	require.ErrorContains(t, err, "at line 2 of "+filepath.Join(dir, "broken.conf")+"\n>>> 'port x'\n")

	write("self.conf", "include "+dir+"/self.conf\n")
	_, _, err = Load([]string{filepath.Join(dir, "self.conf")}, nil)
	require.ErrorContains(t, err, "include each other too deeply")
}

func TestFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"# c\n\nfoo bar", "at line 3 of standard input\n>>> 'foo bar'\nBad directive or wrong number of arguments"},
		{"port \"1", ">>> 'port \"1'\nUnbalanced quotes in configuration line"},
		{"port 99999", "argument must be between 0 and 65535 inclusive"},
		{"cluster-announce-hostname a_b", "Hostnames may only contain alphanumeric characters, hyphens or dots"},
		{"dir /nonexistent/x", "No such file or directory"},
		{"port 60000", "must be 55535 or less"},
		{"bind \"\"", "No bind address is configured"},
		{"port 0", "not listen anywhere"},
		{"include a b", "Bad directive or wrong number of arguments"},

		{"port 7000\nappendonly yes", "at line 2 of standard input\n>>> 'appendonly yes'\nno append-only file"},
		{"cluster-enabled no", "slotcast is always a cluster node"},
		{"aclfile /etc/acl", "--ignore-unsupported aclfile"},
		{"tls-port 6380", "not encrypted"},
		{"maxmemory-policy allkeys-lru", "not evicted"},
		{"save 60 1", "no snapshot"},
		{"slaveof 127.0.0.1 7000", "replicaof directive not allowed in cluster mode"},
		{"min-slaves-to-write 1", "--ignore-unsupported min-replicas-to-write"},
		{"shutdown-on-sigterm save now", "no snapshot"},
		{"rename-command FLUSHALL \"\"", "at line 1 of standard input\n>>> 'rename-command FLUSHALL \"\"'\ncommands cannot be renamed"},
		{"loadmodule /x.so a b", "no modules"},
		{"user alice on >x ~* +@all", "no ACL users"},
		{"user default on nopass ~* &* +@all\nrequirepass x", "no ACL users"},
		{"user default on nopass ~* &*", "no ACL users"},
		{"ignore-unsupported appendonli", "no such directive: 'appendonli'"},
	} {
		t.Run(test.text, func(t *testing.T) {
			_, _, err := Load([]string{"-"}, strings.NewReader(test.text))
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "*** FATAL CONFIG FILE ERROR")
		})
	}
	_, _, err := load(t, "/nonexistent.conf")
	require.ErrorContains(t, err, "Fatal error, can't open config file '/nonexistent.conf': No such file or directory")
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"appendonly no\nhz 20\nsave \"\"", nil},
		{"daemonize yes", []string{"daemonize"}},
		{"io-threads 4\nio-threads 1", nil},
		{"save 900 1\nsave 300 10\nsave 60 10000", []string{"save"}},
		{"save 3600 1 300 100 60 10000", []string{"save"}},
		{"save \"900 1\"\nsave \"\"", nil},
		{"shutdown-on-sigterm nosave now", []string{"shutdown-on-sigterm"}},
		{"appendonly yes\nignore-unsupported appendonly,aclfile\naclfile x", []string{"aclfile", "appendonly"}},
		{"user bob on\nslaveof h 1\nignore-unsupported user\nignore-unsupported slaveof", []string{"replicaof", "user"}},
		{"user default on nopass sanitize-payload ~* &* +@all", nil},
		{"requirepass foobar\nuser default on #c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2 ~* &* +@all", nil},
		{"list-max-ziplist-entries 5", nil},
	} {
		t.Run(test.text, func(t *testing.T) {
			_, warnings, err := Load([]string{"-"}, strings.NewReader(test.text))
			require.NoError(t, err)
			var got []string
			for _, w := range warnings {
				got = append(got, w.Directive)
				require.Contains(t, w.String(), "standard input, line")
			}
			require.Equal(t, test.want, got)
		})
	}
}
