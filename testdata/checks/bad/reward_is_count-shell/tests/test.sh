#!/bin/sh
p=$(grep -c 42 /app/answer)
echo "{\"reward\": $p, \"tests_run\": $p}" >/logs/verifier/reward.json
