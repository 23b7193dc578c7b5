package egress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"
)

// Run serves the gateway in its container until ctx ends: on all addresses, with its configuration from the variable EGRESS_CONFIG, its log and its control
// socket in Folder.
func Run(ctx context.Context, lookup func(string) (string, bool)) error {
	text, _ := lookup(EnvConfig)
	var conf Config
	if err := json.Unmarshal([]byte(text), &conf); err != nil {
		return fmt.Errorf("%s: %w", EnvConfig, err)
	}
	if err := os.MkdirAll(Folder, 0o755); err != nil {
		return fmt.Errorf("the gateway's folder: %w", err)
	}
	log, err := os.OpenFile(Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("the gateway's log: %w", err)
	}
	defer log.Close()
	_ = os.Remove(Socket)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inside, err := insideAddress(ctx)
	if err != nil {
		return err
	}
	g, err := New(ctx, conf, inside, log)
	if err != nil {
		return err
	}
	l, err := listen(ctx, inside.String())
	if err != nil {
		return err
	}
	if err := os.WriteFile(Ready, nil, 0o644); err != nil {
		return fmt.Errorf("say that the gateway is ready: %w", err)
	}
	err = g.Serve(l) //nolint:contextcheck // the gateway has had its context from New
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// listen opens the ports on the address inside alone, so that nobody outside the trial finds them.
func listen(ctx context.Context, host string) (Listeners, error) {
	var l Listeners
	var errs []error
	var lc net.ListenConfig
	tcp := func(port int) net.Listener {
		ln, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		errs = append(errs, err)
		return ln
	}
	var err error
	l.DNS, err = lc.ListenPacket(ctx, "udp", net.JoinHostPort(host, "53"))
	errs = append(errs, err)
	l.DNSTCP, l.Proxy = tcp(53), tcp(ProxyPort)
	for _, p := range Ports() {
		l.Plain = append(l.Plain, tcp(p))
	}
	l.Control, err = lc.Listen(ctx, "unix", Socket)
	if err := errors.Join(append(errs, err)...); err != nil {
		return l, fmt.Errorf("the gateway's ports: %w", err)
	}
	return l, nil
}

// insideAddress is the gateway's own in the network that it shares with the trial's containers: it has another name there than outside.
func insideAddress(ctx context.Context) (netip.Addr, error) {
	var last error
	for range 50 {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", Alias)
		if err == nil && len(addrs) > 0 {
			return addrs[0].Unmap(), nil
		}
		last = err
		t := time.NewTimer(20 * time.Millisecond)
		select {
		case <-ctx.Done():
			t.Stop()
			return netip.Addr{}, context.Cause(ctx)
		case <-t.C:
		}
	}
	return netip.Addr{}, fmt.Errorf("the gateway's own address: %w", last)
}
