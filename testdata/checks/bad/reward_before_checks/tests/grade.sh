#!/bin/sh
test "$(cat /app/answer)" = 42
