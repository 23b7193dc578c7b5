#!/bin/sh
touch /app/one
