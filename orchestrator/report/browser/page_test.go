package browser_test

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/html"
	"github.com/seatrial/seatrial/orchestrator/report/sample"
)

// The page is opened once for each way of looking at it; all need the browser and its helpers.

// nasty text tries to become markup, code, and the end of the element that it stands in.
const nasty = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2">--><svg onload=window.hacked=3>]]>{{.}}\u003cscript>'"` + "`" + "\u2028</pre></td><!--<script>"

// tab is a page of a browser, with what it asked for and what went wrong in it.
type tab struct {
	t        *testing.T
	ctx      context.Context //nolint:containedctx // it is the tab, in the library's form
	mu       sync.Mutex
	requests []string
	faults   []string
}

func open(t *testing.T) *tab {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI_BROWSER") == "true" {
			t.Fatal(err)
		}
		t.Skip("no chromium in PATH")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1300, 900))
	alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, stop := chromedp.NewContext(alloc, chromedp.WithErrorf(t.Logf))
	b := &tab{t: t, ctx: ctx}
	t.Cleanup(func() { stop(); stopAlloc() })
	err = chromedp.Listen(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *runtime.EventExceptionThrown:
			b.faults = append(b.faults, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.faults = append(b.faults, string(e.Type))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](b *tab, expression string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// script runs in the page; what it evaluates to does not matter.
func script(text string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Evaluate[bool](text+"; true")(ctx, t)
		return chromedp.Void{}, err
	}
}

// until waits until an expression is true in the page.
func until(expression string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Poll[bool](expression)(ctx, t)
		return chromedp.Void{}, err
	}
}

// load opens a file and returns how long it took until the first row was there, by the page's own clock.
func (b *tab) load(path string) time.Duration {
	b.t.Helper()
	b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()), chromedp.WaitVisible(chromedp.CSS("#rows tr")))
	b.t.Logf("by the page's clock: first paint %v ms, all read %v ms", ask[float64](b, `Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1)`),
		ask[float64](b, `Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd)`))
	return time.Duration(ask[float64](b, `+document.documentElement.dataset.ready`)) * time.Millisecond
}

// took is how long a change of the page lasts until it is laid out, in milliseconds.
func (b *tab) took(change string) time.Duration {
	b.t.Helper()
	ms := ask[float64](b, `(() => { const t = performance.now(); `+change+`; document.body.getBoundingClientRect(); return performance.now() - t; })()`)
	return time.Duration(ms * float64(time.Millisecond))
}

// page writes the page of a generated run.
func page(t *testing.T, o sample.Options, change func(*html.Input)) string {
	t.Helper()
	dir := t.TempDir()
	rec, err := sample.Write(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	in := html.Input{Run: rec, Folder: dir, PassBar: 1, Links: true}
	if change != nil {
		change(&in)
	}
	var b bytes.Buffer
	before := time.Now()
	if err := html.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	t.Logf("page of %d cases: %d KiB, made in %v", o.Cases, b.Len()>>10, time.Since(before).Round(time.Millisecond))
	path := filepath.Join(dir, "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// quick says how long something took, and that it was less than most.
func (b *tab) quick(what string, d, most time.Duration) {
	b.t.Helper()
	b.t.Logf("%s: %v", what, d.Round(time.Millisecond))
	if d > most {
		b.t.Errorf("%s took %v", what, d)
	}
}

func TestARunOf2000TrialsOpensAndFiltersQuickly(t *testing.T) {
	b := open(t)
	b.quick("first row", b.load(page(t, sample.Options{Cases: 2000}, nil)), 2*time.Second)
	if n := ask[int](b, `document.querySelectorAll("#rows tr").length`); n != 100 {
		t.Errorf("%d rows are drawn", n)
	}
	b.quick("search in reasons", b.took(`search.value = "names the customer case-0012"; search.dispatchEvent(new Event("input"))`), 2*time.Second)
	if got := ask[string](b, `count.textContent`); !strings.Contains(got, " of 2000 cases") || strings.HasPrefix(got, "0 ") {
		t.Errorf("the count says %q", got)
	}
	for _, id := range ask[[]string](b, `[...document.querySelectorAll("#rows .open")].map(e => e.textContent)`) {
		if !strings.HasPrefix(id, "case-0012") {
			t.Errorf("%s is shown", id)
		}
	}
	b.quick("clear", b.took(`search.value = ""; search.dispatchEvent(new Event("input"))`), 2*time.Second)
	b.quick("filter by outcome", b.took(`outcome.value = "incomplete"; outcome.dispatchEvent(new Event("change"))`), 2*time.Second)
	if !ask[bool](b, `[...document.querySelectorAll("#rows tr.case")].every(r => r.children[1].className === "incomplete")`) {
		t.Error("others than incomplete cases are shown")
	}
	b.took(`outcome.value = ""; outcome.dispatchEvent(new Event("change"))`)
	b.quick("filter by tag", b.took(`tag.value = "area-3"; tag.dispatchEvent(new Event("change"))`), 2*time.Second)
	b.took(`tag.value = ""; tag.dispatchEvent(new Event("change"))`)
	b.quick("sort by score", b.took(`document.querySelectorAll("#heads button")[2].click()`), 2*time.Second)
	sorted := `[...document.querySelectorAll("#rows tr.case")].map(r => parseFloat(r.children[2].textContent)).every((v, i, a) => i === 0 || a[i-1] <= v || isNaN(v))`
	if !ask[bool](b, sorted) || ask[string](b, `document.querySelector("[aria-sort]").textContent`) != "Score ▲" {
		t.Error("it is not sorted by score")
	}
	b.quick("timeline", b.took(`timeline.open = true`), 2*time.Second)
	b.do(until(`document.getElementById("time-canvas").width > 300 && document.getElementById("time-note").textContent.includes("2000 trials")`))
	b.still()
}

// still says that the page asked for nothing but itself, and that nothing went wrong in it.
func (b *tab) still() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) != 1 || !strings.HasPrefix(b.requests[0], "file:///") {
		b.t.Errorf("the page asked for %q", b.requests)
	}
	if len(b.faults) > 0 {
		b.t.Errorf("faults in the page: %q", b.faults)
	}
}

func TestNothingOfARunBecomesMarkupOrCode(t *testing.T) {
	b := open(t)
	path := page(t, sample.Options{Cases: 40, Nasty: nasty}, func(in *html.Input) {
		in.Run.RunID, in.Run.Leaks = "r"+nasty, []string{nasty}
		for i := range in.Run.Cases {
			c := &in.Run.Cases[i]
			c.Tags = append(c.Tags, nasty)
			c.Steps = []orchestrator.StepResult{{Name: nasty, Status: nasty}}
			c.Tries = []orchestrator.Try{{Code: nasty, Message: nasty}}
			c.Artifacts.Trajectory = "javascript:window.hacked=4//" + nasty
			if i%2 == 0 {
				c.Steps = nil
			}
			if c.Error != nil {
				c.Error.Value, c.Error.Key, c.Error.Files = nasty, nasty, []string{nasty}
			}
		}
	})
	b.load(path)
	b.do(script(`for (const e of [...document.querySelectorAll("#rows .open")]) e.click()`),
		script(`for (let i = 0; i < 3; i++) for (const e of document.querySelectorAll("details")) e.open = true`),
		chromedp.Sleep(300*time.Millisecond),
		script(`for (const e of document.querySelectorAll("details")) e.open = true`), chromedp.Sleep(300*time.Millisecond))
	text := ask[string](b, `document.body.textContent`)
	for _, want := range []string{"</script><script>window.hacked=1</script>", "Last lines of output", "reading the order", "agent/stdout.log"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if got := ask[string](b, `String(window.hacked)`); got != "undefined" {
		t.Errorf("a script of a record ran: %s", got)
	}
	if n := ask[int](b, `document.querySelectorAll("main img, main svg, main script, header img, header script").length`); n != 0 {
		t.Errorf("%d elements of a record are in the page", n)
	}
	for _, href := range ask[[]string](b, `[...document.querySelectorAll("a")].map(a => a.href)`) {
		if !strings.HasPrefix(href, "file://"+filepath.Dir(path)+"/") {
			t.Errorf("a link leads to %s", href)
		}
	}
	b.still()
}

func TestThePolicyKeepsForeignCodeOut(t *testing.T) {
	b := open(t)
	b.load(page(t, sample.Options{Cases: 3}, nil))
	b.do(script(`(() => { const s = document.createElement("script"); s.textContent = "window.hacked = 1"; document.body.append(s);
		const d = document.createElement("div"); d.innerHTML = '<img src="http://127.0.0.1:9/x" onerror="window.hacked=2">'; document.body.append(d); })()`), chromedp.Sleep(300*time.Millisecond))
	if got := ask[string](b, `String(window.hacked)`); got != "undefined" {
		t.Errorf("a foreign script ran: %s", got)
	}
}

func TestARowOpensByTheKeyboard(t *testing.T) {
	b := open(t)
	b.load(page(t, sample.Options{Cases: 30, Trials: 3}, nil))
	b.do(chromedp.Focus(chromedp.CSS("#rows .open")), chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS("#rows .detail")))
	if got := ask[string](b, `document.querySelector("#rows .open").getAttribute("aria-expanded")`); got != "true" {
		t.Errorf("aria-expanded is %s", got)
	}
	if text := ask[string](b, `document.querySelector("#rows .detail").textContent`); !strings.Contains(text, "trial 3: ") {
		t.Errorf("the trials are not there: %s", text)
	}
	b.do(chromedp.KeyEvent("/"))
	if got := ask[string](b, `document.activeElement.id`); got != "search" {
		t.Errorf("the focus is on %q", got)
	}
	if n := ask[int](b, `[...document.querySelectorAll("input, select")].filter(e => !e.labels.length).length`); n != 0 {
		t.Errorf("%d fields have no label", n)
	}
}

func TestAnEarlierRunIsComparedWith(t *testing.T) {
	b := open(t)
	b.load(page(t, sample.Options{Cases: 60}, func(in *html.Input) {
		then, err := sample.Write(t.TempDir(), sample.Options{Cases: 61, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		in.Against = then
	}))
	if text := ask[string](b, `remarks.textContent`); !strings.Contains(text, "case-00060") {
		t.Errorf("the case that is gone is not named: %s", text)
	}
	b.took(`change.value = "worse"; change.dispatchEvent(new Event("change"))`)
	if !ask[bool](b, `(r => r.length > 0 && r.every(e => e.children[3].textContent.startsWith("−")))([...document.querySelectorAll("#rows tr.case")])`) {
		t.Error("the filter does not show what is worse")
	}
}

func TestARunOf10000TrialsStillOpens(t *testing.T) {
	if testing.Short() {
		t.Skip("it is large")
	}
	b := open(t)
	b.quick("first row", b.load(page(t, sample.Options{Cases: 10_000}, nil)), 10*time.Second)
	b.quick("search", b.took(`search.value = "polite"; search.dispatchEvent(new Event("input"))`), 10*time.Second)
	b.quick("sort", b.took(`document.querySelectorAll("#heads button")[5].click()`), 10*time.Second)
}
