package verifier_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/verifier"
)

func TestExplain(t *testing.T) {
	const script = "/tests/test.sh"
	took := 1500 * time.Millisecond
	messages := map[string]string{}
	for _, tc := range []struct {
		name         string
		run          verifier.Run
		code, reason string
		words        []string
	}{
		{"a script that fails without writing", verifier.Run{Exit: 3, Output: "start\nno such module\n"}, verifier.CodeRewardMissing, verifier.ReasonExitNonzero, []string{"exit code 3", "1.5 s", "no such module"}},
		{"a script that succeeds without writing", verifier.Run{}, verifier.CodeRewardMissing, verifier.ReasonExitZero, []string{"exit code 0", "reward-details.json", "ctrf.json", "printed nothing"}},
		{"a missing script", verifier.Run{StartKind: verifier.StartNotFound}, verifier.CodeVerifierError, "not_found", []string{"not started", "no such file"}},
		{"a missing interpreter", verifier.Run{StartKind: verifier.StartInterpreter, StartDetail: "/usr/bin/fish"}, verifier.CodeVerifierError, "interpreter_missing", []string{"/usr/bin/fish", "interpreter"}},
		{"Windows line ends", verifier.Run{StartKind: verifier.StartCRLF}, verifier.CodeVerifierError, "crlf_shebang", []string{"carriage return"}},
		{"a script that the memory limit kills", verifier.Run{Exit: 137, Signal: "SIGKILL", OOMKills: 1}, verifier.CodeVerifierError, verifier.ReasonOOM, []string{"memory limit", "memory_mb"}},
		{"a script whose child the memory limit kills", verifier.Run{Exit: 1, OOMKills: 2}, verifier.CodeVerifierError, verifier.ReasonOOM, []string{"exit code 1", "killed 2"}},
		{"a script that is killed", verifier.Run{Exit: 139, Signal: "SIGSEGV", OOMKills: -1}, verifier.CodeVerifierError, verifier.ReasonSignal, []string{"SIGSEGV"}},
		{"a script that its limit ends", verifier.Run{Exit: 143, Signal: "SIGTERM", LimitFired: true, Limit: time.Minute}, verifier.CodeVerifierTimeout, verifier.ReasonLimit, []string{"60 s", "raise the limit"}},
		{"a container that dies", verifier.Run{Lost: true}, verifier.CodeVerifierError, verifier.ReasonLost, []string{"died"}},
		{"a command in it that is not found", verifier.Run{Exit: 127}, verifier.CodeRewardMissing, verifier.ReasonExitNonzero, []string{"not found"}},
		{"a command in it that cannot be executed", verifier.Run{Exit: 126}, verifier.CodeRewardMissing, verifier.ReasonExitNonzero, []string{"could not be executed"}},
		{"a command in it that is killed", verifier.Run{Exit: 137}, verifier.CodeRewardMissing, verifier.ReasonExitNonzero, []string{"signal 9"}},
		{"a reason that is new", verifier.Run{StartKind: "moon_phase", StartDetail: "waning"}, verifier.CodeVerifierError, "moon_phase", []string{"waning"}},
		{"a reason that is not known", verifier.Run{StartKind: verifier.StartOther}, verifier.CodeVerifierError, "other", []string{"not known"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.run.Script, tc.run.Duration = script, took
			files := verifier.Files{Listing: []string{"ctrf.json", "reward-details.json"}}
			f := verifier.Explain(files, tc.run, verifier.Options{Case: "refund"})
			if f.Code != tc.code || f.Reason != tc.reason || f.Phase != verifier.PhaseVerifier {
				t.Errorf("code %s, reason %s, phase %s", f.Code, f.Reason, f.Phase)
			}
			mentions(t, f.Message, append(tc.words, "refund", script)...)
			if other, twice := messages[f.Message]; twice {
				t.Errorf("the message is that of %q: %s", other, f.Message)
			}
			messages[f.Message] = tc.name
			if f.Test == nil || f.Test.Seconds != 1.5 || f.Test.Started == (tc.run.StartKind != "") {
				t.Errorf("test is %+v", f.Test)
			}
			if known := f.Test.ExitCode != nil; known == (tc.run.StartKind != "" || tc.run.Lost) {
				t.Errorf("exit code known: %v", known)
			}
			if diff := cmp.Diff(f, verifier.Conclude(files, tc.run, verifier.Options{Case: "refund"}).Fault); diff != "" {
				t.Error("Conclude differs:", diff)
			}
		})
	}
}

func TestExplainNamesEveryStartReasonOfTheHelper(t *testing.T) {
	for kind, helpers := range map[string]string{
		verifier.StartNotFound: shim.StartNotFound, verifier.StartPermission: shim.StartPermission,
		verifier.StartInterpreter: shim.StartInterpreter, verifier.StartCRLF: shim.StartCRLF, verifier.StartFormat: shim.StartFormat,
		verifier.StartUser: shim.StartUser, verifier.StartDir: shim.StartDir, verifier.StartPrepare: shim.StartPrepare,
		verifier.StartSwitch: shim.StartSwitch, verifier.StartOther: shim.StartOther,
	} {
		if kind != helpers {
			t.Errorf("%q is %q in the helper", kind, helpers)
		}
	}
}

func TestExplainKeepsTheEndOfTheOutput(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter22", "[masked]") }
	for _, tc := range []struct {
		name, in string
		lines    int
		bytes    int
	}{
		{"the last twenty lines", strings.Repeat("line\n", 50), 20, 20 * 5},
		{"whole lines of the last 4 KiB", strings.Repeat(strings.Repeat("x", 999)+"\n", 50), 4, 4000},
		{"the end of a long line", strings.Repeat("é", 5000), 1, 4096},
		{"secrets are hidden also where the cut falls", "hunter22" + strings.Repeat("x", 4092), 1, 4096},
		{"nothing", "", 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := verifier.Explain(verifier.Files{}, verifier.Run{Exit: 1, Output: tc.in}, verifier.Options{Mask: mask}).Test.Output
			if got := len(strings.Split(out, "\n")); got != tc.lines {
				t.Errorf("%d lines, want %d", got, tc.lines)
			}
			if len(out) > tc.bytes || len(out) < tc.bytes-5 {
				t.Errorf("%d bytes, want about %d", len(out), tc.bytes)
			}
			if strings.Contains(out, "er22") || strings.Contains(out, "\uFFFD") {
				t.Errorf("output is %.30q", out)
			}
		})
	}
}

func TestExplainListsAtMostFiftyFiles(t *testing.T) {
	f := verifier.Explain(verifier.Files{Listing: slices.Repeat([]string{"a"}, 60)}, verifier.Run{}, verifier.Options{})
	if len(f.Found) != 51 || f.Found[50] != "and 10 more" {
		t.Errorf("%d found, the last %q", len(f.Found), f.Found[len(f.Found)-1])
	}
}

func TestConcludeOverridesRewardsThatAreNoEvidence(t *testing.T) {
	for _, tc := range []struct {
		name string
		run  verifier.Run
		code string
	}{
		{"after the limit", verifier.Run{LimitFired: true, Limit: time.Second}, verifier.CodeVerifierTimeout},
		{"when the container died", verifier.Run{Lost: true}, verifier.CodeVerifierError},
		{"when the script never started", verifier.Run{StartKind: verifier.StartCRLF}, verifier.CodeVerifierError},
	} {
		t.Run(tc.name, func(t *testing.T) {
			faulted(t, verifier.Conclude(rewardJSON(`{"reward": 1}`), tc.run, verifier.Options{}), tc.code, "")
		})
	}
}

func TestConcludeAcceptsRewardsOfTestsThatFailed(t *testing.T) {
	for _, tc := range []struct {
		name     string
		run      verifier.Run
		warnings []string
	}{
		{"an exit code", verifier.Run{Exit: 1}, []string{verifier.WarnVerifierExit}},
		{"a signal", verifier.Run{Exit: 137, Signal: "SIGKILL"}, []string{verifier.WarnVerifierSignal}},
		{"a killed child", verifier.Run{OOMKills: 1}, []string{verifier.WarnVerifierOOM}},
		{"nothing wrong", verifier.Run{}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Conclude(rewardJSON(`{"reward": 0}`), tc.run, verifier.Options{})
			complete(t, v, ptr(0.0))
			warned(t, v, tc.warnings...)
		})
	}
}

func TestConcludeKeepsWhatIsWrongWithTheFiles(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   verifier.Files
		exit int
		code string
	}{
		{"a broken reward", rewardJSON(`{"rew`), 1, verifier.CodeRewardInvalid},
		{"an unknown contract without rewards", verifier.Files{Contract: file(`{"rewards": 2}`)}, 1, verifier.CodeContractUnsupported},
		{"a declared contract without scores", verifier.Files{Contract: file(`{"rewards": 1}`)}, 0, verifier.CodeNoScores},
		{"a declared contract, and a failure", verifier.Files{Contract: file(`{"rewards": 1}`)}, 1, verifier.CodeRewardMissing},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := verifier.Conclude(tc.in, verifier.Run{Exit: tc.exit}, verifier.Options{})
			if v.Fault == nil || v.Fault.Code != tc.code {
				t.Fatalf("fault is %+v, want %s", v.Fault, tc.code)
			}
			if v.Fault.Test == nil || *v.Fault.Test.ExitCode != tc.exit {
				t.Errorf("test is %+v", v.Fault.Test)
			}
		})
	}
}
