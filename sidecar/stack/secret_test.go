package stack_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar/stack"
)

func TestASecretIsInNoPrint(t *testing.T) {
	const secret = "sk-31337"
	in := task(t, `
services:
  main:
    build: {args: {T: "${TOKEN}", TOKEN: }, dockerfile_inline: "FROM x${TOKEN}"}
    entrypoint: ["${TOKEN}"]
    command: "run ${TOKEN}"
    environment: ["A=x${TOKEN}", TOKEN]
    labels: {a: "${TOKEN}"}
    healthcheck: {test: "curl ${TOKEN}"}
    hostname: ${TOKEN}
    user: ${TOKEN}
    working_dir: /${TOKEN}
    env_file: [a.env, {path: raw.env, format: raw}]
    tmpfs: ["/x${TOKEN}"]
    container_name: ${TOKEN}
    platform: linux/${TOKEN}
    stop_signal: ${TOKEN}
    extra_hosts: {"a": "10.0.0.1"}
    ulimits: {nofile: 1}
    sysctls: {net.a: "${TOKEN}"}
    networks: {default: {aliases: ["${TOKEN}"]}}
    volumes: ["v:/${TOKEN}"]
  side:
    image: x/${TOKEN}
volumes: {v: {}}
`)
	in.Vars["TOKEN"], in.Secrets["TOKEN"] = secret, true
	in.MainEnv["TOKEN"] = secret
	write(t, filepath.Join(in.Dir, "a.env"), "B=$TOKEN\n")
	write(t, filepath.Join(in.Dir, "raw.env"), "TOKEN\n")
	spec, warnings, err := stack.Convert(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(spec, warnings); strings.Contains(text, secret) {
		t.Errorf("the print shows the secret:\n%s", text)
	}
	if got := spec.Services[0].Env["A"]; got != "x"+secret {
		t.Errorf("the value itself is %q", got)
	}
}

func TestASecretIsInNoMessage(t *testing.T) {
	const secret = "sk-31337"
	for _, key := range []string{
		"image: 'A ${TOKEN}'", "dns: ${TOKEN}", "depends_on: ['${TOKEN}']", "volumes: ['/${TOKEN}:/x']", "volumes: ['x:y:${TOKEN}']",
		"network_mode: ${TOKEN}", "tty: ${TOKEN}", "stop_grace_period: ${TOKEN}", "cap_add: ['${TOKEN}']", "env_file: ${TOKEN}",
		"mem_limit: ${TOKEN}", "tmpfs: '/x:${TOKEN}'", "security_opt: ['${TOKEN}']", "devices: ['${TOKEN}']", "build: '../../${TOKEN}'",
		"build: {network: '${TOKEN}'}", "healthcheck: {test: ['${TOKEN}']}", "networks: ['${TOKEN}']", "pids_limit: ${TOKEN}",
		"pull_policy: ${TOKEN}", "extra_hosts: ['a:${TOKEN}']", "profiles: ['${TOKEN}']", "labels: ['dev.seatrial.${TOKEN}=1']",
	} {
		t.Run(key, func(t *testing.T) {
			in := task(t, "services:\n  main:\n    "+key+"\n")
			in.Vars["TOKEN"], in.Secrets["TOKEN"] = secret, true
			_, _, err := stack.Convert(t.Context(), in)
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestASecretCannotStandOutsideServices(t *testing.T) {
	in := task(t, "services: {main: {}}\nnetworks: {default: {labels: {a: \"${TOKEN}\"}}}\n")
	in.Vars["TOKEN"], in.Secrets["TOKEN"] = "x", true
	_, _, err := stack.Convert(t.Context(), in)
	if invalid := (*stack.InvalidError)(nil); !errors.As(err, &invalid) || invalid.Place.Key != "networks.default.labels.a" {
		t.Errorf("got %v", err)
	}
}
