#!/bin/sh
# The shared script: the boat has a hull. Steps may bring their own in its place.
. /tests/lib.sh
verdict "$(grep -qx hull boat && echo 1 || echo 0)"
