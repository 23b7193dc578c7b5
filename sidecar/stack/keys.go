package stack

// The tables below say what becomes of every key of a compose file; a key in none of them is an error. A path is dotted,
// "*" stands for a name that the author chooses, and lists are transparent: "volumes.type" is the type of a list item.
// Service keys are given without "services.*.".

// honouredInService are the keys that the conversion carries out.
func honouredInService() []string {
	return []string{
		"build", "build.context", "build.dockerfile", "build.dockerfile_inline", "build.target", "build.args",
		"build.args.*", "build.network", "build.ssh", "build.secrets", "build.privileged",
		"cap_add", "cap_drop", "cgroup", "cgroup_parent", "command", "container_name", "cpus",
		"depends_on", "depends_on.*", "depends_on.*.condition", "depends_on.*.required",
		"deploy", "deploy.replicas", "deploy.resources",
		"deploy.resources.limits", "deploy.resources.limits.cpus", "deploy.resources.limits.memory",
		"deploy.resources.limits.pids",
		"deploy.resources.reservations", "deploy.resources.reservations.memory",
		"deploy.resources.reservations.devices", "deploy.resources.reservations.devices.capabilities",
		"deploy.resources.reservations.devices.count", "deploy.resources.reservations.devices.device_ids",
		"deploy.resources.reservations.devices.driver",
		"device_cgroup_rules", "devices", "devices.source", "devices.target", "devices.permissions",
		"dns", "domainname", "entrypoint", "env_file", "env_file.path", "env_file.required", "env_file.format",
		"environment", "environment.*", "extra_hosts", "extra_hosts.*",
		"gpus", "gpus.capabilities", "gpus.count", "gpus.device_ids", "gpus.driver", "group_add",
		"healthcheck", "healthcheck.test", "healthcheck.interval", "healthcheck.timeout", "healthcheck.retries",
		"healthcheck.start_period", "healthcheck.start_interval", "healthcheck.disable",
		"hostname", "image", "init", "ipc", "labels", "labels.*", "mem_limit", "mem_reservation", "memswap_limit",
		"network_mode", "networks", "networks.*", "networks.*.aliases", "networks.*.ipv4_address",
		"pid", "pids_limit", "platform", "privileged", "profiles", "pull_policy", "read_only", "restart", "scale",
		"security_opt", "shm_size", "stdin_open", "stop_grace_period", "stop_signal", "sysctls", "sysctls.*",
		"tmpfs", "tty", "ulimits", "ulimits.*", "ulimits.*.soft", "ulimits.*.hard", "user", "userns_mode", "uts",
		"volumes", "volumes.type", "volumes.source", "volumes.target", "volumes.read_only", "volumes.volume",
		"volumes.volume.nocopy", "volumes.volume.subpath", "volumes.bind", "volumes.bind.propagation",
		"volumes.tmpfs", "volumes.tmpfs.size", "volumes.tmpfs.mode", "working_dir",
	}
}

// honouredOutside are the keys outside services that the conversion carries out.
func honouredOutside() []string {
	return []string{
		"services", "services.*",
		"networks", "networks.*", "networks.*.name", "networks.*.driver", "networks.*.internal", "networks.*.external",
		"networks.*.external.name", "networks.*.labels", "networks.*.labels.*", "networks.*.ipam",
		"networks.*.ipam.config", "networks.*.ipam.config.subnet", "networks.*.ipam.config.gateway",
		"networks.*.ipam.config.ip_range",
		"volumes", "volumes.*", "volumes.*.name", "volumes.*.driver", "volumes.*.driver_opts",
		"volumes.*.driver_opts.*", "volumes.*.external", "volumes.*.external.name", "volumes.*.labels",
		"volumes.*.labels.*",
	}
}

// ignoredInService are keys that mean nothing for a trial, so that dropping them changes nothing.
func ignoredInService() []string {
	return []string{
		"annotations", "attach", "build.provenance", "build.sbom", "depends_on.*.restart", "deploy.labels",
		"deploy.mode", "deploy.resources.reservations.cpus", "develop", "expose", "networks.*.priority",
		"volumes.consistency", "volumes.bind.create_host_path",
	}
}

// ignoredOutside are the same outside services.
func ignoredOutside() []string {
	return []string{"version", "networks.*.attachable", "networks.*.enable_ipv4"}
}

// warnedInService are keys that are dropped with a warning.
func warnedInService() map[string]string {
	return map[string]string{
		"build.cache_from":      "ignored: images are kept by the digest of what they are built from",
		"build.cache_to":        "ignored: images are kept by the digest of what they are built from",
		"build.labels":          "ignored: the image gets the tool's own labels",
		"build.no_cache":        "ignored: images are kept by the digest of what they are built from",
		"build.pull":            "ignored: base images are pulled when they are missing",
		"build.tags":            "ignored: images are kept by the digest of what they are built from",
		"deploy.restart_policy": "ignored: nothing is restarted; a sidecar that dies ends the trial",
		"logging":               "ignored: every container gets a bounded log of the tool's own",
		"ports":                 "ignored: nothing is published on the host; services reach one another by name on any port",
		"volumes.bind.selinux":  "ignored: host folders are not relabelled",
	}
}

// warnedOutside are the same outside services.
func warnedOutside() map[string]string {
	return map[string]string{"name": "ignored: every trial gets a project name of its own"}
}

// refusedInService are keys that deserve a better answer than "not honoured".
func refusedInService() map[string]string {
	return map[string]string{
		"build.additional_contexts": "put the files into the build context",
		"build.ulimits":             "image builds have no limits of their own",
		"cpu_shares":                "set cpus",
		"cpuset":                    "set cpus",
		"configs":                   "mount a file of the task folder: volumes: [\"./FILE:/TARGET:ro\"]",
		"deploy.placement":          "a trial runs on one engine",
		"dns_search":                "name the service in full",
		"extends":                   "write the keys out, or share them with a YAML anchor",
		"external_links":            "a trial reaches no containers but its own",
		"label_file":                "write the labels under labels",
		"links":                     "services reach one another by name; use networks.NAME.aliases for another name and depends_on for the order",
		"post_start":                "put the command into the service's own command",
		"pre_start":                 "use a service of its own and depends_on with service_completed_successfully",
		"pre_stop":                  "containers are removed, not stopped",
		"provider":                  "a service is a container",
		"runtime":                   "the engine's default runtime is used",
		"secrets":                   "declare the value in [environment.env] of task.toml and pass it under environment",
		"use_api_socket":            "bind the engine's socket instead, which needs --allow engine-socket",
		"volumes_from":              "mount the same named volume in both services",
	}
}

// refusedOutside are the same outside services.
func refusedOutside() map[string]string {
	return map[string]string{
		"configs": "mount a file of the task folder: volumes: [\"./FILE:/TARGET:ro\"]",
		"include": "write the included services out in this file",
		"jobs":    "use a service and depends_on with service_completed_successfully",
		"models":  "a service is a container",
		"secrets": "declare the value in [environment.env] of task.toml and pass it under environment",
	}
}
