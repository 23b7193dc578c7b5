#!/bin/bash
set -e
cd /tests
python3 /tests/grade.py
