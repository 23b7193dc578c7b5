#!/bin/sh
# Writes 1 when the agent has run exactly once and these tests have not run before, else 0.
echo ran >>/logs/artifacts/tests-ran
agent=$(wc -l </app/agent-ran) tests=$(wc -l </logs/artifacts/tests-ran)
if [ "$agent" -eq 1 ] && [ "$tests" -eq 1 ]; then
	echo '{"reward": 1}' >/logs/verifier/reward.json
else
	echo '{"reward": 0}' >/logs/verifier/reward.json
fi
