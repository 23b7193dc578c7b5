def test_answer():
    assert open("/app/answer").read() == "42"
