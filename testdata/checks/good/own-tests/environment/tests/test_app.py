def test_app():
    assert 1 + 1 == 2
