#!/bin/sh
. /tests/lib.sh # the shared one
verdict "$([ "$(echo $(cat boat))" = "hull sail" ] && [ "$WANTED" = "hull and sail" ] && echo 1 || echo 0.25)"
