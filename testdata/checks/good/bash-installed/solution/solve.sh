#!/usr/bin/env -S python3 -u
open("/app/answer", "w").write("42")
