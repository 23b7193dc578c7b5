#!/bin/sh
set -e
wget -q -O /tmp/prices.csv http://store:8000/prices.csv
sort -t , -k 2 -n /tmp/prices.csv | head -n 1 | cut -d , -f 1 >/app/cheapest.txt
