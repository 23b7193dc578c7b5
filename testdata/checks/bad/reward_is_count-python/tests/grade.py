import json

passed = 3
reward = {
    "reward": 1.0,
    "passed": passed,
}
json.dump(reward, open("/logs/verifier/reward.json", "w"))
