#!/bin/sh
# Writes the reward, a number from 0 to 1, and the reasons for it. Whatever the agent did, a reward is written: 0 where the
# work is not there. The tests are copied into the container when the agent has ended, so it never sees what is expected.
expected=92075
sum=1fadc9e8a692689a65b416dcff07de87
total='' right=0 kept=0
[ -f /app/total.txt ] && total=$(head -c 100 /app/total.txt)
[ "$total" = "$expected" ] && right=1
[ -f /app/orders.csv ] && [ "$(md5sum </app/orders.csv | cut -d ' ' -f 1)" = "$sum" ] && kept=1
echo "{\"reward\": $((right * kept))}" >/logs/verifier/reward.json
shown=$(printf %s "$total" | tr -cd 'a-zA-Z0-9 .,-')
cat >/logs/verifier/reward-details.json <<END
{"reward": {"criteria": [
  {"name": "total", "value": $right, "reasoning": "total.txt holds '$shown', and $expected is right"},
  {"name": "orders_kept", "value": $kept, "reasoning": "orders.csv is to stay as it was"}
]}}
END
