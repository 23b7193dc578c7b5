"""Answers questions about evidence, a JSON object a line, for comparison with package evidence."""
import decimal, json, sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import seatrial_fakes as fakes


def plain(v):
    if isinstance(v, decimal.Decimal):
        return float(v)
    raise TypeError(type(v))


def say(f):
    try:
        print(json.dumps(f(), default=plain, sort_keys=True))
    except (fakes.EvidenceError, fakes.DecodeError) as e:
        print(json.dumps({"error": type(e).__name__}))


def result(r):
    return {"pass": r.passed, "reason": r.reason}


for line in sys.stdin:
    q = json.loads(line)
    if q["ask"] == "decode":
        say(lambda: {"value": fakes.decode(q["text"], q["format"], q.get("prefix", ""))})
        continue
    if q["ask"] == "reward":
        fakes.reward("safe", fakes.Result(q["pass"], "because", "a check"), q["dir"])
        print("{}")
        continue

    def ask():
        e = fakes.open_evidence(q["dir"])
        if q["ask"] == "unchanged":
            return result(e.state_unchanged(q["servers"] or ()))
        if q["ask"] == "no-write":
            return result(e.no_write_attempted(q["servers"] or (), q["tools"] or ()))
        if q["ask"] == "diff":
            return {"changes": [f"{c.kind} {c.server} {c.entity} {c.id}" for c in e.diff(q["servers"] or ())]}
        return {"calls": [c["seq"] for c in e.calls((q["servers"] or [None])[0], (q["tools"] or [None])[0])]}

    say(ask)
