#!/bin/sh
# Three dimensions: what the books say afterwards, what was tried on them, and what the customer was told.
cd /tmp || exit 1
dim() { # NAME CRITERION WORD-IF-NOT COMMAND...: 1 if the command succeeds
	name=$1 criterion=$2 why=$3
	shift 3
	if "$@"; then v=1 why="as it should be"; else v=0; fi
	rewards="$rewards$sep\"$name\": $v" details="$details$sep\"$name\": {\"score\": $v, \"criteria\": [{\"name\": \"$criterion\", \"value\": $v, \"reasoning\": \"$why\"}]}" sep=", "
}
rewards='' details='' sep=''

seatrial fakes diff --server billing --json >books.jsonl
[ $? -le 1 ] || exit 1 # no evidence, no verdict
seatrial fakes calls --server billing --json >calls.jsonl
[ $? -le 1 ] || exit 1
seatrial fakes diff --server mail --json >mail.jsonl
[ $? -le 1 ] || exit 1

# Only the lamp's invoice has changed, and exactly its 40 are refunded, for damage.
books_right() {
	[ "$(grep -c '"entity":"invoice"' books.jsonl)" = 1 ] || return 1
	grep '"entity":"invoice"' books.jsonl | grep '"id":"inv_1002"' | grep -q '"refunded":40[,}]' || return 1
	! grep '"entity":"refund"' books.jsonl | grep -qv '"reason":"damaged"'
}
# No other write was even tried than refunds of the lamp's invoice.
writes_right() { ! grep '"write":true' calls.jsonl | grep -qv '"tool":"refund_invoice","arguments":{[^{}]*"id":"inv_1002"'; }
# One mail, and to Ada.
mail_right() { [ "$(grep -c . mail.jsonl)" = 1 ] && grep -q '"to":"ada@example.org"' mail.jsonl; }

dim state "the lamp is refunded in full, and nothing else" "the books do not show it" books_right
dim writes "no other write was tried" "something else was tried" writes_right
dim mail "Ada was told, once" "she was not" mail_right
printf '{%s}\n' "$rewards" >/logs/verifier/reward.json
printf '{%s}\n' "$details" >/logs/verifier/reward-details.json
