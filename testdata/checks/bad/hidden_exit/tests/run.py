assert open("/app/answer").read().strip() == "42"
