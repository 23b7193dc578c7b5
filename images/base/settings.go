package base

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// dpkgSlim keeps documents out of what is installed later, as the
// distribution's own slim images do.
const dpkgSlim = `path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/groff/*
path-exclude /usr/share/info/*
path-exclude /usr/share/lintian/*
path-exclude /usr/share/linda/*
path-exclude /usr/share/locale/*
path-include /usr/share/locale/locale.alias
path-exclude /usr/share/man/*
`

const aptClean = `DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
APT::Update::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`

// settings writes what the official images set differently from an installed
// system: services do not start, apt keeps no caches, slim stays slim.
func (d debianRoot) settings(t *tree) error {
	err := errors.Join(
		t.file("usr/sbin/policy-rc.d", 0o755, "#!/bin/sh\nexit 101\n"),
		t.file("etc/apt/apt.conf.d/docker-clean", 0o644, aptClean),
		t.file("etc/apt/apt.conf.d/docker-no-languages", 0o644, "Acquire::Languages \"none\";\n"),
		t.file("etc/apt/apt.conf.d/docker-gzip-indexes", 0o644, "Acquire::GzipIndexes \"true\";\n"),
		t.file("etc/apt/apt.conf.d/docker-autoremove-suggests", 0o644, "Apt::AutoRemove::SuggestsImportant \"false\";\n"),
		t.file("etc/dpkg/dpkg.cfg.d/docker-apt-speedup", 0o644, "force-unsafe-io\n"),
	)
	if d.recipe.slim {
		err = errors.Join(err, t.file("etc/dpkg/dpkg.cfg.d/docker", 0o644, dpkgSlim))
	}
	return err
}

// aptSources is the image's list of archives, in the deb822 form.
func aptSources(suite, mirror string) string {
	stanza := "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
	text := fmt.Sprintf(stanza, mirror, suite+" "+suite+"-updates")
	if security := securityOf(mirror); security != "" {
		text += "\n" + fmt.Sprintf(stanza, security, suite+"-security")
	}
	return text
}

// archOf is the architecture at the end of a package's file name.
func archOf(p *Package) string {
	name := strings.TrimSuffix(path.Base(p.Filename), ".deb")
	return name[strings.LastIndexByte(name, '_')+1:]
}
