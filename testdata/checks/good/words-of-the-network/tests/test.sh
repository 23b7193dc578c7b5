#!/bin/sh
# apt-get install nothing
echo "pip install x"
go test ./... >/tmp/log 2>&1
npm test
git -C /app status
if [ "$(cat /app/answer 2>/dev/null)" = 42 ]; then
	echo 1 >/logs/verifier/reward.txt
else
	echo 0 >/logs/verifier/reward.txt
fi
