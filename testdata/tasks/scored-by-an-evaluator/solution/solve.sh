#!/bin/sh
printf "two\nthree\nfive\nseven\n" >/app/answer.txt
