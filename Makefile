# `make demo` and `make test` are all that a newcomer needs. Everything a target needs beyond Go and a Docker Engine it fetches itself.
SHELL := /bin/sh
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LINT_VERSION := v2.12.2
FUZZTIME ?= 30s
FUZZJOBS ?= 1
export CGO_ENABLED ?= 0

HELPERS := sidecar/shim/bin/shim-linux-amd64 sidecar/shim/bin/shim-linux-arm64
HELPER_SOURCES := $(shell find cmd/seatrial-shim sidecar/shim -name '*.go' ! -name '*_test.go' 2>/dev/null) sidecar/shim/build.sh go.mod

.PHONY: build demo test lint bench bench-batch bench-fakes bench-repro chaos chaos-batch fuzz clean
build: bin/seatrial

.PHONY: bin/seatrial
bin/seatrial: $(HELPERS)
	go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/seatrial

$(HELPERS) &: $(HELPER_SOURCES)
	./sidecar/shim/build.sh && touch $(HELPERS)

# The four demo tasks, done by their own solutions. Base images are made from Debian's packages where no registry answers.
demo: build
	bin/seatrial images base busybox
	bin/seatrial run testdata/tasks/hello testdata/tasks/partial testdata/tasks/failing-agent testdata/tasks/sidecar --runs-dir eval-runs --run-id demo-$$(date -u +%Y%m%dT%H%M%SZ)-$$$$
	@echo; echo "== run.json"; cat "$$(ls -td eval-runs/demo-*/ | head -n 1)run.json"

# Tests of every package, then those on the engine, which fail rather than skip where CI=true and no engine answers. Each of
# these two keeps the engine busy by itself, and measures what it waits for: they take turns.
ON_ENGINE := ./e2e ./chaos
test: $(HELPERS)
	go vet ./...
	go test $$(go list ./... | grep -v -e '/e2e$$' -e '/chaos$$')
	go test -p 1 -timeout 30m $(ON_ENGINE)

# The cache is this checkout's own: golangci-lint reports what it remembers of one that is gone by the paths it had there.
lint: bin/golangci-lint
	GOLANGCI_LINT_CACHE=$(CURDIR)/bin/lint-cache bin/golangci-lint run
	@test -z "$$(gofmt -l cmd images orchestrator sidecar task verifier e2e)" || { gofmt -l cmd images orchestrator sidecar task verifier e2e; exit 1; }

bin/golangci-lint: Makefile
	GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	@touch $@

# The bare engine calls of a trial against seatrial's hello task, on the same engine in the same run.
bench: build
	go run ./cmd/seatrial-bench

# A batch of many trials against the bare engine calls of as many, at the same concurrency.
TRIALS ?= 1000
bench-batch: build
	go run ./cmd/seatrial-bench -batch $(TRIALS)

# What keeping end states costs, and grading them again.
bench-repro: build
	go run ./cmd/seatrial-bench -repro 50 -more 5

# The fakes under load, on the loopback.
bench-fakes: $(HELPERS)
	go run ./cmd/seatrial-bench-fakes

# Kills at random moments, many times. CI runs a short form as part of the tests.
ROUNDS ?= 200
chaos: build
	go test ./chaos -count=1 -timeout 120m -run Chaos -chaos.rounds=$(ROUNDS) -v

# A batch that is killed three times and gone on with beside one that nothing happens to. RESTART is a command that restarts the engine meanwhile.
ATTEMPTS ?= 20
RESTART ?=
chaos-batch: build
	go test ./chaos -count=1 -timeout 120m -run ABatchComes -chaos.attempts=$(ATTEMPTS) -chaos.restart='$(RESTART)' -v

fuzz: $(HELPERS)
	./fuzz.sh $(FUZZTIME) $(FUZZJOBS)

clean:
	rm -rf bin sidecar/shim/bin/shim-linux-*
