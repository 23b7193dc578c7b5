#!/bin/sh
# What is allowed has a name, wherever this machine is; what is not has none.
if grep -qx "deb.debian.org yes" /app/names && grep -qx "example.com no" /app/names; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
