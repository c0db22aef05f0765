package compat

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// debianLibraries are packages of the distribution, and C libraries that are
// newer than its own.
var debianLibraries = []library{
	{
		name: "redis-cli-7", title: "redis-cli 7", version: "7.0.15",
		recipe: "redis-cli",
		program: func(t *testing.T, folder string) []string {
			redistest.Bin(t, "redis-cli")
			return goProgram(t, folder)
		},
		protocols: []string{"2", "3"},
	},
	{
		name: "redis-py-4.3", title: "redis-py 4.3", version: "4.3.4", program: debianPython("redis", "4.3.4", "python3-redis"),
		protocols: []string{"2"}, commands: true,
		lacks: map[string][]string{"cluster": {"transaction", "watch-quiet", "watch-changed"}},
	},
	{
		name: "hiredis-0.14", folder: "hiredis-common", title: "hiredis 0.14", version: "0.14.1",
		program:   debianC(blockingHiredis...),
		protocols: []string{"2", "3"}, kinds: []string{"single"},
	},
	{
		name: "hiredis-async-0.14", folder: "hiredis-common", title: "hiredis 0.14 (async)", version: "0.14.1",
		program:   debianC("async.c"),
		protocols: []string{"2", "3"}, kinds: []string{"single"},
	},
	{
		name: "hiredis-1", folder: "hiredis-common", title: "hiredis 1", version: "1.5.0",
		recipe:    "hiredis",
		program:   builtC("hiredis-1", blockingHiredis...),
		protocols: []string{"2", "3"}, kinds: []string{"single"},
		load: []string{"off", "on"}, // it has no cluster client but that of the recipe
	},
	{
		name: "hiredis-async-1", folder: "hiredis-common", title: "hiredis 1 (async)", version: "1.5.0",
		program:   builtC("hiredis-1", "async.c"),
		protocols: []string{"2", "3"}, kinds: []string{"single"},
	},
	{
		name: "libvalkey-0", title: "libvalkey 0", version: "0.5.0",
		program:   builtC("libvalkey-0", "../hiredis-common/sync.c", "cluster.c"),
		protocols: []string{"2", "3"},
	},
	{
		name: "libvalkey-async-0", folder: "libvalkey-0", title: "libvalkey 0 (async)", version: "0.5.0",
		program:   builtC("libvalkey-0", "../hiredis-common/async.c"),
		protocols: []string{"2", "3"}, kinds: []string{"single"},
	},
	{
		name: "phpredis-5", title: "phpredis 5", version: "5.3.7",
		program:   debianScript("php8.2-redis", "5.3.7", "php8.2", "main.php"),
		protocols: []string{"2"},
	},
	{
		name: "predis-1", title: "predis 1", version: "1.1.10",
		program:   debianScript("php-predis", "1.1.10", "php8.2", "main.php"),
		protocols: []string{"2"},
	},
	{
		name: "redis-rb-4.8", title: "redis-rb 4.8", version: "4.8.0",
		program:   debianScript("ruby-redis", "4.8.0", "/usr/bin/ruby", "main.rb"),
		protocols: []string{"2"},
	},
	{
		name: "perl-redis-2", title: "Redis.pm 2", version: "2.000",
		program:   debianScript("libredis-perl", "2.000", "/usr/bin/perl", "main.pl"),
		protocols: []string{"2"}, kinds: []string{"single"}, untyped: true,
	},
	{
		name: "perl-redis-fast-0.34", title: "Redis::Fast 0.34", version: "0.34",
		program:   debianScript("libredis-fast-perl", "0.34", "/usr/bin/perl", "main.pl"),
		protocols: []string{"2"}, kinds: []string{"single"},
	},
	{
		name: "perl-anyevent-redis-0.24", title: "AnyEvent::Redis 0.24", version: "0.24",
		program:   debianScript("libanyevent-redis-perl", "0.24", "/usr/bin/perl", "main.pl"),
		protocols: []string{"2"}, kinds: []string{"single"}, untyped: true,
	},
	{
		name: "lua-redis-2", title: "redis-lua 2", version: "2.0.5",
		program:   debianScript("lua-redis", "2.0.5", "lua5.1", "main.lua"),
		protocols: []string{"2"}, kinds: []string{"single"},
	},
	{
		name: "eredis-1.2", title: "eredis 1.2", version: "1.2.0",
		program:   debianScript("erlang-redis-client", "1.2.0", "escript", "main.erl"),
		protocols: []string{"2"}, kinds: []string{"single"}, untyped: true,
	},
}

// blockingHiredis are the sources of the program for the blocking functions,
// which has the recipe's cluster client for its load.
var blockingHiredis = []string{
	"sync.c", "load.c", "../../../examples/hiredis/cluster.c", "../../../examples/hiredis/slotmap.c",
}

// debianPackage leaves a test out unless a package with this upstream version
// is installed.
func debianPackage(t *testing.T, pkg, version string) {
	t.Helper()
	out, err := exec.Command("dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Version}", pkg).CombinedOutput()
	if err != nil {
		lacking(t, "Debian's package "+pkg, &toolError{out, err})
	}
	status, found, _ := strings.Cut(string(out), " ")
	if status != "installed" {
		lacking(t, "Debian's package "+pkg, "it is "+status)
	}
	// epoch:upstream-debian, where upstream may tell of what was repackaged.
	if _, afterEpoch, ok := strings.Cut(found, ":"); ok {
		found = afterEpoch
	}
	if upstream := strings.FieldsFunc(found, func(r rune) bool { return strings.ContainsRune("+~-", r) })[0]; upstream != version {
		lacking(t, "Debian's package "+pkg+" "+version, "the version here is "+found)
	}
}

// debianScript runs a program of a language whose library is a package.
func debianScript(pkg, version, interpreter, script string) func(t *testing.T, folder string) []string {
	return func(t *testing.T, folder string) []string {
		t.Helper()
		debianPackage(t, pkg, version)
		path, err := exec.LookPath(interpreter)
		if err != nil {
			lacking(t, interpreter, err)
		}
		return []string{path, filepath.Join(folder, script)}
	}
}

// debianPython runs a program with the system's Python, where the
// distribution's package of this version is.
func debianPython(module, version, pkg string) func(t *testing.T, folder string) []string {
	return func(t *testing.T, folder string) []string {
		t.Helper()
		const python = "/usr/bin/python3"
		out, err := exec.Command(python, "-c", "import "+module+"; print("+module+".__version__)").CombinedOutput()
		if err != nil {
			lacking(t, "Debian's package "+pkg, &toolError{out, err})
		}
		if found := strings.TrimSpace(string(out)); found != version {
			lacking(t, "Debian's package "+pkg+" "+version, "the version here is "+found)
		}
		return []string{python, filepath.Join(folder, "main.py")}
	}
}

// debianC compiles a program for Debian's hiredis.
func debianC(sources ...string) func(t *testing.T, folder string) []string {
	return func(t *testing.T, folder string) []string {
		t.Helper()
		debianPackage(t, "libhiredis-dev", "0.14.1")
		return []string{compileC(t, folder, sources, "-lhiredis")}
	}
}

// builtC compiles a program for a C library that was built from its sources.
func builtC(library string, sources ...string) func(t *testing.T, folder string) []string {
	return func(t *testing.T, folder string) []string {
		t.Helper()
		installation := installed(t, "debian", library)
		flags := []string{filepath.Join(installation, "library.a"), "-I" + filepath.Join(installation, "include")}
		if library == "libvalkey-0" {
			flags = append(flags, "-DLIBVALKEY")
		}
		return []string{compileC(t, folder, sources, flags...)}
	}
}

// cPrograms holds the outcome of each compilation by its arguments.
var cPrograms sync.Map

// compileC compiles the sources in a folder together with what C programs
// share, once for all tests, and returns the program's path.
func compileC(t *testing.T, folder string, sources []string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		lacking(t, "gcc", err)
	}
	common := filepath.Join("clients", "hiredis-common")
	args := []string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + common, filepath.Join(common, "program.c")}
	for _, source := range sources {
		args = append(args, filepath.Join(folder, source))
	}
	args = slices.Concat(args, flags, []string{"-lpthread"})
	key := strings.Join(args, " ")
	path := filepath.Join(built, strings.NewReplacer("/", "_", " ", "_").Replace(folder+" "+sources[0]+" "+filepath.Base(flags[0])))
	compile, _ := cPrograms.LoadOrStore(key, sync.OnceValue(func() error {
		if out, err := exec.Command("gcc", append(args, "-o", path)...).CombinedOutput(); err != nil {
			return &toolError{out, err}
		}
		return nil
	}))
	require.NoError(t, compile.(func() error)())
	return path
}

// makeProgram makes a program by its Makefile, outside of the tree.
func makeProgram(t *testing.T, folder, program string) string {
	t.Helper()
	for _, tool := range []string{"make", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			lacking(t, tool, err)
		}
	}
	dir := filepath.Join(t.TempDir(), program)
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder)))
	out, err := exec.Command("make", "--always-make", "--directory", dir, "CFLAGS=-O1 -std=gnu11 -Wall -Wextra -Werror", program).CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(dir, program)
}
