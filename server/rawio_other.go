//go:build !linux

package server

import "syscall"

func readNonblocking(fd uintptr, b []byte) (int, error)  { return syscall.Read(int(fd), b) }
func writeNonblocking(fd uintptr, b []byte) (int, error) { return syscall.Write(int(fd), b) }
