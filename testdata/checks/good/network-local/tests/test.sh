#!/bin/sh
if curl -sf http://localhost:8080/ && curl -sf "http://store:80/$X" && wget -q "$URL"; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
