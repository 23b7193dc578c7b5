#!/bin/sh
echo lamp,2,4000 >/app/orders.csv
echo 8000 >/app/total.txt
