package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/config"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"
	"github.com/docker/docker/client"
)

const (
	firstPause = 2 * time.Second // after the first answer of too many requests; doubles
	longPause  = 60 * time.Second
)

// pull pulls until it works, fails for another reason than a rate limit, or the
// context ends.
func (s *Store) pull(ctx context.Context, w Wanted, out *fan) error {
	out.tell(Event{Kind: StepStarted, Step: "pull " + w.Ref})
	start := time.Now()
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		err := unbroken(ctx, func() error { return s.pullOnce(ctx, w, out) })
		if err == nil {
			out.tell(Event{Kind: StepDone, Step: "pull " + w.Ref, Seconds: time.Since(start).Seconds()})
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if broken := new(BrokenError); errors.As(err, &broken) {
			out.tell(Event{Kind: StepFailed, Step: "pull " + w.Ref, Error: broken.Error()})
			return broken
		}
		fault := pullError(w.Ref, err)
		if fault.Reason != RateLimited || w.Once {
			out.tell(Event{Kind: StepFailed, Step: "pull " + w.Ref, Error: fault.Error()})
			return fault
		}
		out.printf("the registry of %s answers that there are too many requests, trying again in %v\n", w.Ref, pause)
		out.tell(Event{Kind: Waiting, Step: "the registry of " + w.Ref + ", which limits its rate"})
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(context.Cause(ctx), fault)
		}
	}
}

func (s *Store) pullOnce(ctx context.Context, w Wanted, out *fan) error {
	login, err := loginFor(w.Ref)
	if err != nil {
		return err
	}
	answer, err := s.engine.ImagePull(ctx, w.Ref, image.PullOptions{RegistryAuth: login, Platform: w.Platform})
	if client.IsErrConnectionFailed(err) {
		return &BrokenError{Doing: "the pull of " + w.Ref, Cause: err}
	}
	if err != nil {
		return err
	}
	defer answer.Close()
	return readPull(w.Ref, answer, out)
}

// pullMessage is one message of the engine's stream (engine API, POST /images/create).
type pullMessage struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Detail struct {
		Total int64 `json:"total"`
	} `json:"progressDetail"` //nolint:tagliatelle // the engine's name
	Error struct {
		Message string `json:"message"`
	} `json:"errorDetail"` //nolint:tagliatelle // the engine's name
}

// readPull writes what happens to the layers, without the counting in between,
// and returns the error that the stream ends with.
func readPull(ref string, r io.Reader, out io.Writer) error {
	in := json.NewDecoder(r)
	for {
		var m pullMessage
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			var wrong *json.SyntaxError
			if errors.As(err, &wrong) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("reading the engine's answer: %w", err)
			}
			return &BrokenError{Doing: "the pull of " + ref, Cause: err}
		}
		switch {
		case m.Error.Message != "":
			return errors.New(m.Error.Message)
		case m.Detail.Total != 0 || m.Status == "":
		case m.ID != "":
			fmt.Fprintf(out, "%s: %s\n", m.ID, m.Status)
		default:
			fmt.Fprintln(out, m.Status)
		}
	}
}

// loginFor returns the user's login for the registry of a reference, in the form
// that the engine wants; empty where there is none.
func loginFor(ref string) (string, error) {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return "", fmt.Errorf("%q is no image reference: %w", ref, err)
	}
	host := reference.Domain(named)
	if host == "docker.io" {
		host = "https://index.docker.io/v1/" // the name it has in the configuration file
	}
	found, err := config.LoadDefaultConfigFile(io.Discard).GetAuthConfig(host)
	if err != nil {
		return "", fmt.Errorf("reading the login for %s: %w", host, err)
	}
	login := registry.AuthConfig{
		Username: found.Username, Password: found.Password, Auth: found.Auth,
		ServerAddress: found.ServerAddress, IdentityToken: found.IdentityToken, RegistryToken: found.RegistryToken,
	}
	if strings.Join([]string{login.Username, login.Auth, login.IdentityToken, login.RegistryToken}, "") == "" {
		return "", nil
	}
	text, err := registry.EncodeAuthConfig(login)
	if err != nil {
		return "", fmt.Errorf("writing the login for %s: %w", host, err)
	}
	return text, nil
}
