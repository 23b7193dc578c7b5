#!/bin/sh
set -e
if test -e /tests; then echo "the tests of the step before are still here" >&2; exit 1; fi
echo sail >>boat
