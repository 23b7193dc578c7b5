#!/bin/bash
python3 /tests/run.py | tee /tmp/log
if [ $? -eq 0 ]; then echo 1 >/logs/verifier/reward.txt; else echo 0 >/logs/verifier/reward.txt; fi
