package verifier

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// contractVersion finds the version of the rewards contract that the producer declares: in contract.json, in task.toml,
// or, when in neither, version 1. A version that is unknown or declared differently in the two is a fault. Declared tells
// of contract.json, which a producer writes when it runs.
func contractVersion(f *File, opt Options, w *warnings) (version *int, declared bool, fault *Fault) {
	number, declared, fault := contractFile(f, opt, w)
	if fault != nil {
		return nil, declared, fault
	}
	if opt.Contract != nil {
		if declared && number != *opt.Contract {
			return nil, declared, unsupported(opt, strconv.Itoa(number), "%s declares version %d of the rewards contract, but %s declares %d: make them agree",
				ContractName, number, opt.declares(), *opt.Contract)
		}
		if !declared && !knownContract(*opt.Contract) {
			return nil, declared, unknownVersion(opt, strconv.Itoa(*opt.Contract), opt.declares())
		}
		number = *opt.Contract
	}
	return &number, declared, nil
}

// contractFile reads contract.json. One that says nothing of rewards is somebody else's and is left alone.
func contractFile(f *File, opt Options, w *warnings) (version int, declared bool, fault *Fault) {
	if f == nil {
		return defaultContract, false, nil
	}
	broken := func(why string) (int, bool, *Fault) {
		return 0, false, unsupported(opt, "", "%s %s, so that the version of the rewards contract is unknown: write {%q: 1} or leave the file out", ContractName, why, ContractKey)
	}
	if _, text := f.problem(MaxContractBytes); text != "" {
		return broken(text)
	}
	if !utf8.Valid(f.Data) {
		return broken("is not UTF-8")
	}
	top, err := parse(strings.TrimPrefix(string(f.Data), bom))
	if err != nil {
		return broken("is not JSON (" + err.Error() + ")")
	}
	if top.kind != kindObject {
		return broken("is not an object")
	}
	var seen []string
	for _, m := range top.members {
		if m.name == ContractKey {
			seen = append(seen, m.value.raw)
		}
	}
	switch {
	case len(seen) == 0:
		w.add(WarnContractIgnored, "%s has no key %q and is not read as a declaration of the rewards contract", ContractName, ContractKey)
		return defaultContract, false, nil
	case len(seen) > 1:
		return broken("has the key \"" + ContractKey + "\" more than once")
	}
	version, err = strconv.Atoi(seen[0])
	if err != nil || !knownContract(version) {
		return 0, false, unknownVersion(opt, opt.text(seen[0], maxShown), ContractName)
	}
	return version, true, nil
}

func unknownVersion(opt Options, version, where string) *Fault {
	return unsupported(opt, version, "version %s of the rewards contract, declared in %s, is unknown; this program knows version %s: upgrade it, or declare a version that it knows",
		version, where, knownContractText)
}

func unsupported(opt Options, version, format string, args ...any) *Fault {
	return &Fault{Code: CodeContractUnsupported, Phase: PhaseRewards, Value: version, Message: opt.message(format, args...)}
}
