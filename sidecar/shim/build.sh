#!/bin/sh
# Builds the container helper for each architecture into sidecar/shim/bin. The output depends on the source and the Go
# version alone: no paths, no build id, no version control stamp.
set -eu
cd "$(dirname "$0")/../.."
for arch in amd64 arm64; do
	out=sidecar/shim/bin/shim-linux-$arch
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -tags seatrial_shim -trimpath -buildvcs=false -ldflags "-s -w -buildid=" \
		-o "$out.tmp" ./cmd/seatrial-shim
	mv -f "$out.tmp" "$out"
done
