//go:build !linux

package server

// parking needs epoll; elsewhere an idle connection keeps a goroutine.
type parking struct{}

func (p *parking) open(*Server) error { return nil }
func (p *parking) close()             {}
func (p *parking) park(*conn) bool    { return false }
func (p *parking) parkedSoFar() int64 { return 0 }
