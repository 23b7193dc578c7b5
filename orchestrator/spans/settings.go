package spans

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
)

// SettingError says why the environment asks for traces that cannot be had, or for something beside them. It holds no value that may be a secret.
type SettingError struct{ Name, Reason string }

func (e *SettingError) Error() string { return e.Name + ": " + e.Reason }

// wanted says whether the environment asks for traces. Its variables are those of OpenTelemetry's specification, where an empty one is as good as none. The error is a
// *SettingError.
func wanted(lookup func(string) (string, bool)) (bool, error) {
	value := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	first := func(names ...string) (name, v string) {
		for _, name := range names {
			if v := value(name); v != "" {
				return name, v
			}
		}
		return "", ""
	}
	at, endpoint := first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	exporter := value("OTEL_TRACES_EXPORTER")
	if endpoint == "" || strings.EqualFold(value("OTEL_SDK_DISABLED"), "true") || exporter == "none" {
		return false, nil
	}
	if exporter != "" && !slices.Contains(strings.FieldsFunc(exporter, func(r rune) bool { return r == ',' || r == ' ' }), "otlp") {
		return false, &SettingError{Name: "OTEL_TRACES_EXPORTER", Reason: "only otlp and none are known here"}
	}
	if name, p := first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); p != "" && p != "http/protobuf" && p != "http/json" {
		return false, &SettingError{Name: name, Reason: "only http/protobuf and http/json are spoken here"}
	}
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false, &SettingError{Name: at, Reason: "want the URL of an OTLP receiver, with http or https"}
	}
	return true, nil
}

// remarks are what the library has to say. By itself it would print that, values included.
type remarks struct {
	mu    sync.Mutex
	first string
}

// take makes the library say it here: to all that use it in this process, since it has no other place for that.
func (r *remarks) take() {
	otel.SetLogger(logr.New(sink{r}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { r.add("a value cannot be read") }))
}

func (r *remarks) add(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == "" {
		r.first = s
	}
}

// problem is what was said so far. The error is a *SettingError.
func (r *remarks) problem() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == "" {
		return nil
	}
	return &SettingError{Name: "the variables OTEL_*", Reason: fmt.Sprintf("not all of them can be used (%s)", r.first)}
}

// sink takes messages without the values beside them.
type sink struct{ to *remarks }

func (sink) Init(logr.RuntimeInfo)                     {}
func (sink) Enabled(int) bool                          { return false }
func (sink) Info(int, string, ...any)                  {}
func (s sink) Error(_ error, message string, _ ...any) { s.to.add(message) }
func (s sink) WithValues(...any) logr.LogSink          { return s }
func (s sink) WithName(string) logr.LogSink            { return s }
