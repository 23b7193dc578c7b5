#!/bin/sh
grep -q 42 /app/answer && echo passed
