// Package browser holds the tests of the report page in a real browser. They want `chromium` in PATH, and are skipped without it unless CI_BROWSER=true.
package browser
