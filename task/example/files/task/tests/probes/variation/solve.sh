#!/bin/sh
total=0
while IFS=, read -r item count price; do
	total=$((total + count * price))
done </app/orders.csv
printf %s "$total" >/app/total.txt
