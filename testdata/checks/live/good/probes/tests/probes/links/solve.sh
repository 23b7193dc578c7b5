#!/bin/sh
ln -s /tests/test.sh /app/answer
