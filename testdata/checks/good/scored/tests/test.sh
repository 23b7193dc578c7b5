#!/bin/sh
exec /.seatrial-tools/seatrial score --spec /tests/scoring.toml
