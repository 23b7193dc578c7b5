package client

import "net/http"

// sending is an HTTP client that adds headers to each request. As they may be secrets, it follows no redirect to another host.
func sending(header http.Header) *http.Client {
	return &http.Client{Transport: with{header}, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		const most = 10
		if len(via) >= most || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// with adds headers to each request.
type with struct{ header http.Header }

// RoundTrip implements http.RoundTripper.
func (w with) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w.header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	return http.DefaultTransport.RoundTrip(r) //nolint:wrapcheck // a RoundTripper's own error
}
