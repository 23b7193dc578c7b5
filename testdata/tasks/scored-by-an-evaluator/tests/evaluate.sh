#!/bin/sh
# Counts the lines that are right, and looks whether the last one is.
awk -v n=0 -v hits=0 '
	NR == FNR { want[++n] = $0; next }
	want[FNR] == $0 { hits++ }
	{ last = $0 }
	END {
		printf "{\"scores\": {\"lines\": %.4f, \"end\": %d}, \"reasons\": {\"lines\": \"%d of %d lines are right\"}}\n", hits / n, last == want[n], hits, n
	}' "$SEATRIAL_TRUTH" "$([ -f "$SEATRIAL_SUBMISSION" ] && echo "$SEATRIAL_SUBMISSION" || echo /dev/null)" >"$SEATRIAL_OUT"
