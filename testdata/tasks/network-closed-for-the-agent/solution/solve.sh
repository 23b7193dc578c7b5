#!/bin/sh
for h in deb.debian.org example.com; do
	if timeout 5 nslookup $h >/dev/null 2>&1; then echo "$h yes"; else echo "$h no"; fi
done >names
