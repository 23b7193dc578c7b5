#!/bin/sh
# Writes 1 when the greeting is there, else 0.
if [ "$(cat /app/hello.txt 2>/dev/null)" = 'Hello, world!' ]; then
	echo '{"reward": 1}' >/logs/verifier/reward.json
else
	echo '{"reward": 0}' >/logs/verifier/reward.json
fi
