#!/bin/sh
# Nothing of the agent's container is here but /app/report.
if cmp -s /app/report/sum /tests/expected; then r=1; else r=0; fi
echo "{\"reward\": $r}" >/logs/verifier/reward.json
