//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// findClients adds the libraries that the options name to the clients of a
// reshard, or, if they name no client at all, every one that is here.
func (o *options) findClients(ctx context.Context, dir string) error {
	if !slices.Contains(o.measure, "reshard") || len(o.libraries) == 0 && len(o.clients) > 0 {
		return nil
	}
	fmt.Fprintln(stderr, "building the programs of compat")
	list, err := compatPrograms(ctx, dir)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if err := among("-client", o.libraries, names...); err != nil {
		return err
	}
	for _, c := range list {
		if len(o.libraries) == 0 || slices.Contains(o.libraries, c.Name) {
			o.clients = append(o.clients, c)
		}
	}
	return nil
}

// compatPrograms asks the tests of compat, which alone know how each library is
// installed and built, for the programs that have a load.
func compatPrograms(ctx context.Context, dir string) ([]loadClient, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	test := exec.CommandContext(ctx, "go", "test", "./compat", "-count=1", "-v", "-run", "^TestListLoadPrograms$", "-args", "-load-programs="+dir)
	test.Dir = root
	// Where it is set, what is not installed would be a failure.
	test.Env = append(os.Environ(), "CI=")
	out, err := test.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go test ./compat: %w\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "--- SKIP: TestListLoadPrograms/"); is {
			fmt.Fprintln(stderr, "not installed (.ci/clients installs it):", name)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "programs.json"))
	if err != nil {
		return nil, err
	}
	var list []loadClient
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("programs of compat: %w", err)
	}
	return list, nil
}
