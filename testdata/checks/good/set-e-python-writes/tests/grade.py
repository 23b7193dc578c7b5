import json, pathlib
ok = pathlib.Path("/app/answer").read_text().strip() == "42"
pathlib.Path("/logs/verifier/reward.json").write_text(json.dumps({"reward": 1.0 if ok else 0.0, "passed": float(ok), "failed": 0}))
