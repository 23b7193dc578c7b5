package sidecar

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/containerd/errdefs"
)

// trouble takes the error of a request as the transport met it: the engine's client turns some of them into text.
type trouble struct {
	mu  sync.Mutex
	err error
}

type troubleKey struct{}

// troubled makes a context whose requests leave their last error in the result.
func troubled(ctx context.Context) (context.Context, *trouble) {
	t := &trouble{}
	return context.WithValue(ctx, troubleKey{}, t), t
}

// note keeps the error of a request whose context asks for it.
func note(ctx context.Context, err error) {
	if t, ok := ctx.Value(troubleKey{}).(*trouble); ok && err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.err = err
	}
}

// or gives the noted error, else err.
func (t *trouble) or(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	return err
}

// whyUnusable says in one sentence why the engine at h did not answer, and what to do. waited is how long it was waited for, over whether that
// was all there was.
func whyUnusable(h Host, err error, waited time.Duration, over bool) *UnusableError {
	u := &UnusableError{Host: h.Address, Source: h.Source}
	for _, rule := range []func(Host, error, *UnusableError) bool{byTLS, bySocket, byNetwork} {
		if rule(h, err, u) {
			return u
		}
	}
	var broke *CallError
	if errors.As(err, &broke) && broke.Cause != nil {
		err = broke.Cause // which request it was does not matter yet
	}
	var timeout net.Error
	switch {
	case over, errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		u.Reason = fmt.Sprintf("no answer within %s", waited.Round(100*time.Millisecond))
		u.Hint = "it may still be starting; something else may be listening there"
	case strings.HasPrefix(h.Address, sshScheme):
		u.Reason, u.Cause, u.Hint = "ssh did not get through to it", &brief{err, 300}, "the same login with ssh must work without a question, and find `docker system dial-stdio` there"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		u.Reason, u.Hint = "it closed the connection without an answer", "is it an engine, and is it starting or ending just now?"
	default:
		u.Reason, u.Cause = "what answers there is no container engine", &brief{err, 120}
		if strings.HasPrefix(h.Address, tcpScheme) && !h.TLS() {
			u.Hint = "if it wants TLS, set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH"
		}
	}
	return u
}

// brief is an error whose text, which strangers may have written, fits into one line.
type brief struct {
	error
	most int // characters
}

func (b *brief) Error() string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, b.error.Error())
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > b.most { // the end says most where one error wraps another
		text = string(r[:b.most/3]) + " ... " + string(r[len(r)-b.most*2/3:])
	}
	return text
}

func (b *brief) Unwrap() error { return b.error }

// bySocket: the way to the engine is not there or not for us.
func bySocket(h Host, err error, u *UnusableError) bool {
	const another = "or name another engine with DOCKER_HOST or `docker context use`"
	path, local := strings.CutPrefix(h.Address, unixScheme)
	switch {
	case local && errors.Is(err, fs.ErrNotExist):
		u.Reason, u.Hint = "there is no such socket", "start the engine, "+another
	case local && errors.Is(err, fs.ErrPermission):
		u.Reason, u.Hint = "this user may not open "+path, "add the user to the socket's group (often `docker`), "+another
	case local && errors.Is(err, syscall.ENOTSOCK):
		u.Reason, u.Hint = path+" is no socket", "name the engine's socket with DOCKER_HOST"
	case errors.Is(err, syscall.ECONNREFUSED):
		u.Reason, u.Hint = "nothing accepts connections there", "start the engine, "+another
	default:
		return false
	}
	return true
}

func byNetwork(_ Host, err error, u *UnusableError) bool {
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		u.Reason, u.Hint = "its name "+name.Name+" cannot be resolved", "check its spelling and this machine's name servers"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		u.Reason, u.Hint = "there is no way to it from here", "check the network and its address"
	default:
		return false
	}
	return true
}

// byTLS: the two sides do not trust or understand each other.
func byTLS(h Host, err error, u *UnusableError) bool {
	var authority x509.UnknownAuthorityError
	var names x509.HostnameError
	var invalid x509.CertificateInvalidError
	var remote *net.OpError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		u.Reason, u.Hint = "its certificate is signed by an unknown authority", "give the authority's certificate as ca.pem beside the other TLS files"
		if h.CA != "" {
			u.Reason = "its certificate is not signed by the authority in " + h.CA
			u.Hint = "put the certificate of the engine's own authority there"
		}
	case errors.As(err, &names):
		u.Reason, u.Cause, u.Hint = "its certificate is for another name", names, "use a name that the certificate has"
	case errors.As(err, &invalid):
		u.Reason, u.Cause, u.Hint = "its certificate is not valid", invalid, "renew it, or set this machine's clock"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		u.Reason, u.Hint = "it does not speak TLS at that port", "unset DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, or use its TLS port (often "+tlsPort+")"
	case h.TLS() && errors.As(err, &remote) && remote.Op == "remote error": // what crypto/tls calls an alert from the other side
		u.Reason, u.Cause = "it refused our client certificate", remote.Err
		u.Hint = "put a cert.pem and key.pem that its authority has signed into " + filepath.Dir(h.Cert)
		if h.Cert == "" {
			u.Reason, u.Cause = "it wants a client certificate", remote.Err
			u.Hint = "put cert.pem and key.pem beside ca.pem in DOCKER_CERT_PATH, or into the context"
		}
	default:
		return false
	}
	return true
}

// tooNew says whether an engine has refused our version of its API, which it does with "bad request" alone.
func tooNew(err error) bool { return errdefs.IsInvalidArgument(err) }
