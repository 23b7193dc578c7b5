package orchestrator

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// endpoints sees that the MCP servers which the agent is told of are in the trial's own stack: a deployed one would make the result depend on
// something that nobody recorded.
func (p *Plan) endpoints(o *Options) error {
	if o.AllowExternal {
		return nil
	}
	for i, m := range p.Task.Config.Environment.MCPServers {
		if m.Transport == task.Stdio {
			continue
		}
		u, err := url.Parse(m.URL)
		if err == nil && inStack(p.Spec, u.Hostname()) {
			continue
		}
		key := fmt.Sprintf("environment.mcp_servers[%d].url", i)
		at := p.Task.Config.Where(key)
		return &UnsupportedError{File: filepath.Join(p.Task.Dir, "task.toml"), Line: at.Line, Column: at.Column, Key: key,
			What: fmt.Sprintf("%s is not a service of the task's own stack; --allow-external-endpoints lets the agent use it", m.URL)}
	}
	return nil
}

// mcpServers are the servers that the agent is told of: the task's own, and its fakes, which it need not repeat.
func (p *Plan) mcpServers() []task.MCPServer {
	list := slices.Clone(p.Task.Config.Environment.MCPServers)
	if p.Fakes == nil {
		return list
	}
	for _, s := range p.Fakes.Servers {
		if s.MCP && !slices.ContainsFunc(list, func(m task.MCPServer) bool { return m.Name == s.Name }) {
			list = append(list, task.MCPServer{Name: s.Name, Transport: task.StreamableHTTP, URL: p.Fakes.url("mcp", s.Name)})
		}
	}
	return list
}

// httpServers are the fakes with plain HTTP, as a JSON object of name and address; empty when there is none.
func (p *Plan) httpServers() string {
	urls := map[string]string{}
	if p.Fakes != nil {
		for _, s := range p.Fakes.Servers {
			if s.HTTP {
				urls[s.Name] = p.Fakes.url("http", s.Name)
			}
		}
	}
	data, err := json.Marshal(urls)
	if err != nil || len(urls) == 0 {
		return ""
	}
	return string(data)
}

// inStack says whether a host name is one that the stack's containers find each other by.
func inStack(spec *stack.Spec, host string) bool {
	if host == "localhost" || host == "127.0.0.1" || host == "::1" {
		return true
	}
	return slices.ContainsFunc(spec.Services, func(s stack.Service) bool {
		return s.Name == host || s.Hostname == host || slices.ContainsFunc(s.Networks, func(a stack.Attachment) bool { return slices.Contains(a.Aliases, host) })
	})
}

// toldServers is the list of MCP servers for the agent, as JSON in the shape of [[environment.mcp_servers]].
func toldServers(servers []task.MCPServer) string {
	type server struct {
		Name      string            `json:"name"`
		Transport string            `json:"transport"`
		URL       string            `json:"url,omitempty"`
		Command   string            `json:"command,omitempty"`
		Args      []string          `json:"args,omitempty"`
		Headers   map[string]string `json:"headers,omitempty"`
		Env       map[string]string `json:"env,omitempty"`
	}
	list := make([]server, 0, len(servers))
	for _, s := range servers {
		list = append(list, server{s.Name, string(s.Transport), s.URL, s.Command, s.Args, s.Headers, s.Env})
	}
	data, err := json.Marshal(list)
	if err != nil {
		return "[]" // strings always marshal
	}
	return string(data)
}
