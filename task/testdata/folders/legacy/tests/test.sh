#!/bin/bash
cd /tests
pytest -q test_outputs.py | tee /logs/verifier/run.log

if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
