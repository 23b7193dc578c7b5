#!/bin/sh
if grep -q 42 /app/answer; then echo 100 >/logs/verifier/reward.txt; else echo 0 >/logs/verifier/reward.txt; fi
