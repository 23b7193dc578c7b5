package dataset_test

import (
	"strings"
	"testing"

	"github.com/seatrial/seatrial/task/dataset"
)

func TestDeepNestingIsNoEnd(t *testing.T) {
	for name, text := range map[string]string{"d.toml": "x = " + strings.Repeat("[", 4<<20-10), "d.json": strings.Repeat("[", dataset.MaxSize-10)} {
		if _, err := dataset.Parse(name, []byte(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	dotted := "a" + strings.Repeat(".a", 1<<20) + " = 1"
	if _, err := dataset.Parse("d.toml", []byte(dotted)); err == nil {
		t.Error("keys without end were read")
	}
}
