#!/bin/sh
# Builds the container helper for each architecture into sidecar/shim/bin. The output depends on the source and the Go
# version alone: no paths, no build id, no version control stamp. What is there already is left alone, so that several may
# build at once and nothing that embeds it is built again.
set -eu
cd "$(dirname "$0")/../.."
for arch in amd64 arm64; do
	out=sidecar/shim/bin/shim-linux-$arch
	tmp=${TMPDIR:-/tmp}/seatrial-helper-$arch.$$
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -tags seatrial_shim -trimpath -buildvcs=false -ldflags "-s -w -buildid=" \
		-o "$tmp" ./cmd/seatrial-shim
	if cmp -s "$tmp" "$out"; then
		rm -f "$tmp"
	else
		cp "$tmp" "sidecar/shim/.helper-$arch.$$" && mv -f "sidecar/shim/.helper-$arch.$$" "$out" # not below bin, which is embedded whole
		rm -f "$tmp"
	fi
done
