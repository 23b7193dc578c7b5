#!/bin/sh
touch /app/two
