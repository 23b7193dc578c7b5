// Package html writes what a run came to as one page that stands alone: it asks nothing of a network and works from a file.
package html

import (
	"fmt"
	"io"

	"github.com/seatrial/seatrial/orchestrator"
)

// DefaultBudget is about how large a page becomes, in bytes.
const DefaultBudget = 30 << 20

// Input is what a page is made of.
type Input struct {
	Run *orchestrator.RunRecord
	// Folder is the run's own, for logs and times; empty leaves them out.
	Folder string
	// Against is an earlier run to compare with, or nil.
	Against *orchestrator.RunRecord
	// PassBar is the least score of a case that has passed.
	PassBar float64
	// Links makes the page lead to the files of the run, by paths relative to its folder. The page has to lie, or be served, there.
	Links bool
	// Budget is about how large the page may become, in bytes; 0 means DefaultBudget.
	Budget int64
}

// Write writes the page. All that comes from tasks, agents and records is data in it and never markup or code. Texts are cut and logs are left out where the page
// would become larger than its budget, and the page says so.
func Write(w io.Writer, in Input) error {
	if in.Budget <= 0 {
		in.Budget = DefaultBudget
	}
	left := in.Budget
	data, err := in.data(&left)
	if err != nil {
		return err
	}
	if err := writeFrame(w, in.Run.RunID, data); err != nil {
		return err
	}
	if err := in.writeLogs(w, left); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "</body>\n</html>\n"); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
