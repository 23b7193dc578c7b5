#!/bin/sh
# What a perfect agent does: `seatrial run @NAME@` runs this unless another agent is named.
awk -F, '{ total += $2 * $3 } END { print total }' /app/orders.csv >/app/total.txt
