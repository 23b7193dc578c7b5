package html

import (
	"encoding/json"
	"fmt"

	"github.com/seatrial/seatrial/orchestrator"
)

// pageData is what the page shows, logs apart.
type pageData struct {
	Run      *orchestrator.RunRecord `json:"run"`
	PassBar  *float64                `json:"pass_bar"`
	Links    bool                    `json:"links"`
	Cut      bool                    `json:"cut"` // texts were cut more than usual, for the page's size
	Against  *against                `json:"against,omitempty"`
	Timeline *timeline               `json:"timeline,omitempty"`
}

// data encodes what the page shows. The texts are cut harder until they leave room in the budget, from which their size is taken.
func (in *Input) data(left *int64) ([]byte, error) {
	page := pageData{PassBar: finite(in.PassBar), Links: in.Links, Against: compare(in.Run, in.Against), Timeline: in.timeline()}
	levels := clips()
	for i, level := range levels {
		page.Run, page.Cut = level.run(in.Run), i > 0
		data, err := encode(&page)
		if err != nil {
			return nil, err
		}
		if room := *left / 3 * 2; int64(len(data)) <= room || i == len(levels)-1 {
			*left -= int64(len(data))
			return data, nil
		}
	}
	return nil, fmt.Errorf("make the page: no way to cut its texts")
}

// encode makes JSON that can stand in a script element: encoding/json writes <, > and & as escapes, and replaces what is not UTF-8.
func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	return data, nil
}
