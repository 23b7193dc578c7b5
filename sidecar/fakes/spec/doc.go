// Package spec reads what an eval author declares about fakes: a folder per server with a fake.toml or fake.yaml, and
// the contracts, schemas, seeds and handlers that it names.
package spec
