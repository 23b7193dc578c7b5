verdict() { printf '{"reward": %s}\n' "$1" >/logs/verifier/reward.json; }
