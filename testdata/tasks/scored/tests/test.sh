#!/bin/sh
exec seatrial score --spec /tests/scoring.toml --truth /tests/truth.json --submission /app/answer.json --out /logs/verifier
