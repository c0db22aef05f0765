// Command record fills in the expectations of transcripts from redis-server.
// One writes the commands; it plays each file in both protocols and writes
// what came back below every command that has no expectation yet, or, with
// -all, below every command whose expectation holds nothing but bytes.
package main

import (
	"flag"
	"fmt"
	"os"

	"slotcast/transcript"
)

func main() {
	all := flag.Bool("all", false, "record again what has been recorded before")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./transcript/record [-all] file…")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, path := range flag.Args() {
		if err := transcript.Record(path, *all); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("recorded", path)
	}
}
