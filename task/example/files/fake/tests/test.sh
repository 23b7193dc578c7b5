#!/bin/sh
# Looks at what the fakes have seen; `seatrial` is there for the tests of a task with fakes. These commands exit with 0 for
# yes and 1 for no. With 2 nothing can be said; then there must be no reward.
deleted=0
seatrial fakes diff >/tmp/diff
[ $? -le 1 ] || exit 1
[ "$(grep -c . /tmp/diff)" = 1 ] && grep -q '^removed *notes note note_milk ' /tmp/diff && deleted=1
# An attempt counts, whether it succeeded or not.
seatrial fakes no-write-attempted --tool add_note
added=$?
[ $added -le 1 ] || exit 1
echo "{\"reward\": $((deleted * (1 - added)))}" >/logs/verifier/reward.json
cat >/logs/verifier/reward-details.json <<END
{"reward": {"criteria": [
  {"name": "deleted", "value": $deleted, "reasoning": "the milk's note is to be gone, and every other as it was"},
  {"name": "nothing_added", "value": $((1 - added)), "reasoning": "no other note was to be written"}
]}}
END
