package server

import "sync"

// drains watches the sockets that took no more, and gives each outbox back to
// its worker of the flusher when there is room again. So a client that reads
// slowly costs what it has not read, and no goroutine.
type drains struct {
	*poller
	done sync.WaitGroup
}

func (d *drains) open(f *flusher) (err error) {
	if d.poller, err = newPoller(); err != nil {
		return err
	}
	d.done.Add(1)
	go func() { // ends when close closes the poller
		defer d.done.Done()
		for {
			ready, err := d.wait()
			if err != nil {
				return
			}
			for i, c := range ready {
				ready[i] = nil
				f.schedule(&c.outbox)
			}
		}
	}()
	return nil
}

func (d *drains) close() {
	d.poller.close()
	d.done.Wait()
}

// block waits for room in the socket of an outbox, whose flushing flag is set.
func (f *flusher) block(o *outbox) {
	o.mu.Lock()
	o.blocked = true
	o.mu.Unlock()
	if f.drains.watch(o.conn, toWriteOnce) != nil {
		o.kill("the connection cannot be watched")
		f.schedule(o)
	}
}
