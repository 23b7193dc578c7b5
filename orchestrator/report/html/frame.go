package html

import (
	"crypto/sha256"
	_ "embed" // the page's files
	"encoding/base64"
	"html/template"
	"io"
)

//go:embed page/page.html
var pageText string

//go:embed page/page.css
var styleText string

//go:embed page/page.js
var scriptText string

// Policy is the page's Content-Security-Policy: its own style and its own script, known by their digests, and nothing else.
func Policy() string {
	return "default-src 'none'; style-src '" + digest(styleText) + "'; script-src '" + digest(scriptText) + "'; base-uri 'none'; form-action 'none'"
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// writeFrame writes the page up to the logs. The data is JSON without a <, so it cannot end its element.
func writeFrame(w io.Writer, title string, data []byte) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return wrap(err)
	}
	return wrap(t.Execute(w, struct {
		Title  string
		Policy string
		Style  template.CSS
		Script template.JS
		Data   template.JS
	}{clean(title, 200), Policy(), template.CSS(styleText), template.JS(scriptText), template.JS(data)})) //nolint:gosec // two are ours, and the third is escaped JSON
}
