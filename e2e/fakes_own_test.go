package e2e_test

import (
	"strings"
	"testing"
)

// ownFakes is a task whose fakes are an image of its own: a web server of shell scripts that counts what it is asked, and a control that writes the
// evidence. FREEZE stands for what the control does last.
const ownFakes = `
-- task.toml --
schema_version = "1.4"
[metadata.fakes]
scenario = "plain"
servers = ["counter"]
seed = 3
[agent]
timeout_sec = 30.0
[verifier]
timeout_sec = 30.0
-- environment/docker-compose.yaml --
services:
  main: {}
  fakes:
    build: counter
-- environment/counter/Dockerfile --
FROM busybox
COPY count /www/cgi-bin/count
COPY control /fakes/control
COPY start /start
RUN chmod +x /www/cgi-bin/count /fakes/control* /start
ENTRYPOINT ["/start"]
-- environment/counter/start --
#!/bin/sh
mkdir -p /fakes/out && cd /fakes/out || exit 1
for f in calls outbound violations refused; do : >$f.jsonl; done
test -f $FAKES_MANIFESTS/counter/fake.toml || exit 1
echo "{\"version\": 1, \"scenario\": \"$FAKES_SCENARIO\", \"seed\": $FAKES_SEED, \"now\": \"$FAKES_NOW\", \"servers\": {\"counter\": {\"protocols\": [\"http\"], \"contract\": \"\",
 \"entities\": {\"number\": {\"id\": \"id\"}}, \"tools\": {\"count\": {\"write\": true, \"format\": \"json\"}}, \"writes\": {\"count\": [\"number\"]}, \"reads\": []}}}" >manifest.json
echo '{"counter": {"number": {"one": {"id": "one", "n": 0}}}}' >initial.json
exec httpd -f -p 8000 -h /www
-- environment/counter/count --
#!/bin/sh
cd /fakes/out || exit 1
n=$(($(wc -l <calls.jsonl) + 1))
echo "{\"seq\": $n, \"step\": 1, \"server\": \"counter\", \"protocol\": \"http\", \"tool\": \"count\", \"arguments\": {}, \"outcome\": \"ok\", \"write\": true, \"entities\": [\"number\"], \"answer_sha256\": \"\", \"answer\": \"$n\", \"time\": \"$FAKES_NOW\"}" >>calls.jsonl
printf 'Content-Type: text/plain\r\n\r\n%s\n' $n
-- environment/counter/control --
#!/bin/sh
cd /fakes/out && test -f initial.json || exit 1
[ "$1" = freeze ] || exit 0
n=$(wc -l <calls.jsonl)
echo "{\"counter\": {\"number\": {\"one\": {\"id\": \"one\", \"n\": $n}}}}" >final.json
files= sep=
for f in manifest.json initial.json final.json calls.jsonl outbound.jsonl violations.jsonl refused.jsonl; do
	sum=$(sha256sum $f)
	files="$files$sep\"$f\": \"${sum%% *}\"" sep=", "
done
echo "{\"version\": 1, \"calls\": $n, \"outbound\": 0, \"violations\": $(wc -l <violations.jsonl), \"refused\": 0, \"steps\": [], \"files\": {$files}}" >done.json
FREEZE
-- environment/fakes/counter/fake.toml --
reads = []
protocols = ["http"]
writes = {count = ["number"]}
[entities.number]
[tools.count]
route = "POST /count"
steps = [{op = "update", entity = "number", id = "'one'", set = {n = "row.n + 1"}}]
[scenarios.plain.seed]
number = [{id = "one", n = 0}]
-- solution/solve.sh --
#!/bin/sh
wget -q -O - http://fakes:8000/cgi-bin/count && wget -q -O - http://fakes:8000/cgi-bin/count
-- tests/test.sh --
#!/bin/sh
seatrial fakes diff --json | grep -q '"name":"n","before":0,"after":2' && r=1 || r=0
echo "{\"reward\": $r}" >/logs/verifier/reward.json
`

func TestFakesOfTheTasksOwn(t *testing.T) {
	t.Parallel()
	freezing := func(last string) string { return strings.Replace(ownFakes, "FREEZE", last, 1) }
	missing := func(says ...string) outcome {
		return outcome{code: "fake_evidence_missing", phase: "collect", says: says}
	}
	behave(t, []behaviour{
		{
			name: "a service that follows the protocol of the evidence is as good as the built-in one", task: freezing(""), want: outcome{score: 1},
			check: func(t *testing.T, r *ran) {
				if files := evidenceFiles(t, r); strings.Count(files["calls.jsonl"], "\n") != 2 || !strings.Contains(files["manifest.json"], `"scenario": "plain", "seed": 3`) {
					t.Errorf("evidence %v", files)
				}
			},
		},
		{name: "evidence that was never completed is missing", task: freezing("rm done.json"), want: missing("done.json")},
		{name: "evidence that was changed after its completion is missing", task: freezing("echo '{}' >>calls.jsonl"), want: missing("calls.jsonl")},
		{name: "evidence that lacks a file is missing", task: freezing("rm violations.jsonl"), want: missing("violations.jsonl")},
		{name: "evidence that is a link is missing", task: freezing("mv final.json /tmp/x && ln -s /tmp/x final.json"), want: missing("final.json")},
		{name: "a folder of evidence that is gone is missing", task: freezing("rm -rf /fakes/out"), want: missing("/fakes/out")},
		{name: "fakes that cannot be frozen leave no evidence", task: freezing("echo out of paper >&2; exit 4"), want: missing("out of paper")},
		{name: "what the fakes report of themselves makes rewards void",
			task: strings.Replace(freezing(""), "exec httpd", `echo '{"seq": 1, "server": "counter", "tool": "count", "kind": "program", "message": "lost count", "time": ""}' >>violations.jsonl`+"\nexec httpd", 1),
			want: outcome{code: "fake_contract_violation", phase: "collect", says: []string{"lost count"}}},
		{
			name: "fakes without a control are told", task: strings.Replace(freezing(""), "COPY control /fakes/control", "COPY control /fakes/controls", 1) + "",
			want: outcome{code: "sidecar_failed", phase: "setup", says: []string{"/fakes/control"}},
		},
		{
			name: "fakes that never become ready are told", want: outcome{code: "sidecar_failed", phase: "setup", says: []string{"fakes", "still warming up"}},
			task: strings.NewReplacer("[agent]", "[environment]\nbuild_timeout_sec = 8.0\n[agent]", "cd /fakes/out && test -f initial.json || exit 1", "echo still warming up; exit 1").Replace(freezing("")),
		},
	})
}
