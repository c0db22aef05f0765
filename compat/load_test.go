package compat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoad moves slots under the load of each cluster client that has the task,
// with and without help: no operation fails. How often clients are redirected
// meanwhile is measured by "go run ./bench -measure reshard".
func TestLoad(t *testing.T) {
	hasLoad := func(l library) bool { return l.load != nil }
	eachStage(t, hasLoad, func(t *testing.T, s *stage, c client) {
		if c.kind == "single" && c.kinds == nil {
			return // the load is one of cluster clients
		}
		c.kind = "cluster" // also where that of a recipe is the only one
		for _, mode := range c.load {
			if mode == "smigrated" && c.resp == "2" {
				continue // such pushes are of RESP3 alone
			}
			t.Run(mode, func(t *testing.T) {
				p := c.start(t, "load", s.cluster.Node(2).Addr(), mode)
				p.expect("loading")
				for range 6 {
					s.move()
				}
				require.NoError(t, p.stdin.Close())
				lines := p.rest()
				require.Len(t, lines, 5, p.story())
				for i, name := range []string{"operations", "errors", "p50", "p99", "max"} {
					word, text, _ := strings.Cut(lines[i], " ")
					var number int
					_, err := fmt.Sscan(text, &number)
					require.NoError(t, err, p.story())
					require.Equal(t, name, word, p.story())
					switch name {
					case "operations":
						require.Positive(t, number, p.story())
					case "errors":
						require.Zero(t, number, p.story())
					}
				}
			})
		}
	})
}
