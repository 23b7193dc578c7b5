package main

import (
	"math"

	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
)

// finite is the value of a number's flag; nil where it was not given.
func finite(s *pflag.FlagSet, name string, v float64) (*float64, error) {
	if !s.Changed(name) {
		return nil, nil //nolint:nilnil // not given is not wrong
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, usage("--%s %g: want a finite number", name, v)
	}
	return &v, nil
}

// bars sets what scores are held against.
func bars(s *pflag.FlagSet, o *orchestrator.Options, minScore, passBar float64) (err error) {
	if o.MinScore, err = finite(s, "min-score", minScore); err != nil {
		return err
	}
	o.PassBar, err = finite(s, "pass-bar", passBar)
	return err
}
