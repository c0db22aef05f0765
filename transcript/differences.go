package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// CheckDifferences compares the reasons that the transcripts named by glob
// give for their deliberate differences with the headings (## …) of the list
// at path. It returns what is missing in the list and what nothing uses.
func CheckDifferences(glob, path string) (problems []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("list of differences: %w", err)
	}
	used := map[string]bool{} // by heading
	explained := map[string]bool{}
	heading := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = h
			used[heading] = false
		} else if line != "" && heading != "" {
			explained[heading] = true
		}
	}
	paths, err := filepath.Glob(glob)
	if err != nil {
		return nil, fmt.Errorf("transcripts: %w", err)
	}
	for _, p := range paths {
		f, err := ParseFile(p)
		if err != nil {
			return nil, err
		}
		for _, reason := range f.Reasons {
			if _, ok := used[reason]; !ok {
				problems = append(problems, fmt.Sprintf("%s: %q is no heading of %s", p, reason, path))
				continue
			}
			used[reason] = true
		}
	}
	for h, in := range used {
		if !in {
			problems = append(problems, fmt.Sprintf("%s: no transcript uses %q", path, h))
		}
		if !explained[h] {
			problems = append(problems, fmt.Sprintf("%s: %q gives no reason", path, h))
		}
	}
	sort.Strings(problems)
	return problems, nil
}
