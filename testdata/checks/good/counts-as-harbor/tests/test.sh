#!/bin/sh
grep -c 42 /app/answer >/tmp/n
echo "{\"reward\": 3, \"total\": 12}" >/logs/verifier/reward.json
