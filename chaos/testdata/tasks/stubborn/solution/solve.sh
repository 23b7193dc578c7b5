#!/bin/sh
# Ignores being asked to end.
trap '' TERM INT HUP
echo ran >>/app/agent-ran
sleep 2 &
wait
sleep 2
