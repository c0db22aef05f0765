package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"slotcast/config"
	"slotcast/nodesfile"
	"slotcast/server"
)

func main() {
	c, _, err := config.Load(os.Args[1:], os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	s, err := server.New(server.Options{Config: c, Log: log, Storage: nodesfile.NewMemory(), Version: "0.1.0", Fatal: func(err error) { log.Error(err.Error()); os.Exit(1) }})
	if err != nil {
		log.Error(err.Error())
		os.Exit(1)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Values().Port)))
	if err != nil {
		log.Error(err.Error())
		os.Exit(1)
	}
	s.Listen(l)
	fmt.Println("Ready to accept connections")
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM, syscall.SIGINT)
	<-sig
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s.Close(ctx)
}
