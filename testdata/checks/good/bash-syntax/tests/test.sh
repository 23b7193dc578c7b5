#!/bin/bash
shopt -s extglob
declare -A m=([a]=1)
x=(1 2 3)
while IFS= read -r l; do [[ $l =~ ^[0-9]+$ ]] && ((n++)); done < <(cat /app/answer)
echo "${x[@]:1:2} ${m[a]} ${l,,} $((2**3))" <<<"$n" &>/dev/null
case $n in 1) r=1 ;; *) r=0 ;;& esac
echo "$r" >/logs/verifier/reward.txt
