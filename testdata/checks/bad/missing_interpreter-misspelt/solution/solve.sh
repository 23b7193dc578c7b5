#!/bin/bsah
echo 42 >/app/answer
