// Package nodesfile keeps nodes.conf on disk: one small file that is replaced
// as a whole and must never be found half written.
//
// Save writes a temporary file, syncs it, renames it over the old one and, if
// the content must survive a crash from now on, syncs the directory. The
// temporary file is synced also where no durability was asked for: otherwise a
// crash could leave the new name on blocks never written, and so take away an
// older content that was promised to be kept.
//
// The file belongs to one process at a time, by a lock on a companion file. It
// cannot be on the file itself, which is another one after every save. A
// Storage is used by one goroutine, the owner of the state machine.
package nodesfile
