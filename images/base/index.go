package base

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxPackages bounds an index; Debian's main has about 70 000 packages.
const maxPackages = 1 << 20

// maxDeb bounds one package file, in bytes.
const maxDeb = 16 << 30

// Package is what an archive's index says about one package.
type Package struct {
	Name      string
	Version   string
	Essential bool
	Priority  string
	Depends   []Alternatives // Pre-Depends first, then Depends
	Provides  []string       // names alone, versions are not looked at
	Filename  string         // path below the archive's root
	Size      int64          // bytes
	SHA256    string         // lower case hex
	Archive   string         // root URL of the archive that it comes from
}

// Alternatives are package names of which one must be there.
type Alternatives []string

// Index finds packages by name and by what they provide.
type Index struct {
	packages  map[string]*Package
	providers map[string][]*Package
}

// NewIndex returns an index without packages.
func NewIndex() *Index {
	return &Index{packages: map[string]*Package{}, providers: map[string][]*Package{}}
}

// Read adds the packages of a Packages file from the archive at the given URL.
// Where a name is known already the higher version stays. Errors are
// *FormatError or the reader's.
func (x *Index) Read(r io.Reader, archive string) error {
	for p, err := range Paragraphs(r, "Package", "Version", "Essential", "Priority", "Pre-Depends",
		"Depends", "Provides", "Filename", "Size", "SHA256") {
		if err != nil {
			return err
		}
		pkg, err := readPackage(p)
		if err != nil {
			return err
		}
		pkg.Archive = archive
		old := x.packages[pkg.Name]
		if old != nil && CompareVersions(old.Version, pkg.Version) >= 0 {
			continue
		}
		if len(x.packages) >= maxPackages {
			return &FormatError{File: "Packages", Reason: "more than a million packages"}
		}
		x.add(pkg, old)
	}
	return nil
}

func (x *Index) add(pkg, old *Package) {
	x.packages[pkg.Name] = pkg
	if old != nil {
		for _, name := range old.Provides {
			x.providers[name] = slices.DeleteFunc(x.providers[name], func(p *Package) bool { return p == old })
		}
	}
	for _, name := range pkg.Provides {
		x.providers[name] = append(x.providers[name], pkg)
	}
}

// Find returns the package of that name, or nil.
func (x *Index) Find(name string) *Package { return x.packages[name] }

// Providers returns the packages that provide a name, the more important first.
func (x *Index) Providers(name string) []*Package {
	found := slices.Clone(x.providers[name])
	slices.SortFunc(found, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(rank(a.Priority), rank(b.Priority)), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// Base returns the names that a minimal system is made of: everything
// essential, everything of priority required, and apt. Sorted.
func (x *Index) Base() []string {
	names := []string{"apt"}
	for name, p := range x.packages {
		if p.Essential || p.Priority == "required" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func rank(priority string) int {
	if i := slices.Index([]string{"required", "important", "standard", "optional", "extra"}, priority); i >= 0 {
		return i
	}
	return 5
}

func readPackage(p Paragraph) (*Package, error) {
	size, err := strconv.ParseInt(p["Size"], 10, 64)
	sum, hexErr := hex.DecodeString(p["SHA256"])
	switch {
	case !nameRight(p["Package"]):
		return nil, &FormatError{File: "Packages", Reason: fmt.Sprintf("%.80q is no package name", p["Package"])}
	case err != nil || size < 0 || size > maxDeb:
		return nil, &FormatError{File: "Packages", Reason: fmt.Sprintf("%s: %.80q is no size", p["Package"], p["Size"])}
	case hexErr != nil || len(sum) != 32:
		return nil, &FormatError{File: "Packages", Reason: fmt.Sprintf("%s: no SHA256 digest", p["Package"])}
	case p["Filename"] == "" || path.Clean("/" + p["Filename"])[1:] != p["Filename"]:
		return nil, &FormatError{File: "Packages", Reason: fmt.Sprintf("%s: %.200q is no path", p["Package"], p["Filename"])}
	}
	pkg := &Package{
		Name: p["Package"], Version: p["Version"], Essential: p["Essential"] == "yes", Priority: p["Priority"],
		Depends:  append(ParseDepends(p["Pre-Depends"]), ParseDepends(p["Depends"])...),
		Filename: p["Filename"], Size: size, SHA256: hex.EncodeToString(sum),
	}
	for _, alternatives := range ParseDepends(p["Provides"]) {
		pkg.Provides = append(pkg.Provides, alternatives...)
	}
	return pkg, nil
}

// nameRight holds a name to Debian policy 5.6.1, since names become file names.
func nameRight(name string) bool {
	return len(name) > 1 && len(name) < 256 && name[0] != '.' && name[0] != '-' && name[0] != '+' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
