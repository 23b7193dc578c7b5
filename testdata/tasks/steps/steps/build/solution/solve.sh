#!/bin/sh
set -e
test -e material
echo hull >boat
