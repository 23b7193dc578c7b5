package task

// Policy is the network access that holds in one phase.
type Policy struct {
	Mode NetworkMode
	// Hosts are the allowed hosts under Allowlist; none means that nothing is reachable. It shares memory with the
	// Config.
	Hosts []string
	// Source says where the policy was set, as "task.toml [agent] network_mode" or "default".
	Source string
}

// StartNetwork returns the access of the agent's container from its start, which holds in every phase that has no
// policy of its own. The default is Public.
func (c *Config) StartNetwork() Policy {
	return policy(c.Environment.Network, "[environment]", "", Policy{Mode: Public, Source: byDefault})
}

// AgentNetwork returns the access while the agent runs in a step: the step's, else the task agent's, else that from
// the start.
func (c *Config) AgentNetwork(step int) Policy {
	s := c.at(step)
	p := policy(c.Agent.Network, "[agent]", "", c.StartNetwork())
	return policy(s.Agent.Network, "[steps.agent]", s.Name, p)
}

// VerifierNetwork returns the access while the tests of a step run: the step's, else the task verifier's, else that of
// the environment in which they run.
func (c *Config) VerifierNetwork(step int) Policy {
	s := c.at(step)
	p := c.StartNetwork()
	if c.VerifierMode(step) == Separate {
		p = c.VerifierStartNetwork(step)
	}
	p = policy(c.Verifier.Network, "[verifier]", "", p)
	return policy(s.Verifier.Network, "[steps.verifier]", s.Name, p)
}

// VerifierStartNetwork returns the access of a separate verifier's container from its start. The default is Public.
func (c *Config) VerifierStartNetwork(step int) Policy {
	env, table, name := c.verifierEnvironment(step)
	return policy(env.Network, table, name, Policy{Mode: Public, Source: byDefault})
}

func policy(n Network, table, step string, other Policy) Policy {
	if !n.Mode.Set {
		return other
	}
	return Policy{Mode: n.Mode.Value, Hosts: n.AllowedHosts, Source: source(table, n.Key, step)}
}

// source says where a value was set; step is the name of a step or empty.
func source(table, key, step string) string {
	s := "task.toml " + table + " " + key
	if step != "" {
		s += " of step " + step
	}
	return s
}

func (s *Step) source(table, key string) string { return source("[steps."+table+"]", key, s.Name) }
