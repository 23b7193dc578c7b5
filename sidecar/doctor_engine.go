package sidecar

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

// crowded is the part of the pool's subnets, in percent, from which on trials may have to search.
const crowded = 80

// builder tries whether the engine has BuildKit, by opening a connection to it.
func (x *examination) builder(ctx context.Context) []Finding {
	conn, err := x.eng.Builds().DialHijack(ctx, "/grpc", "h2c", nil)
	if err != nil {
		return []Finding{{ID: "buildkit", Level: LevelWarn, Says: "the engine has no BuildKit: " + (&brief{err, 200}).Error(), Facts: map[string]any{"present": false},
			Advice: "Only tasks whose images are there or can be pulled will run; use a Docker Engine to build."}}
	}
	_ = conn.Close() // it was only a question
	return []Finding{{ID: "buildkit", Level: LevelOK, Says: "in the engine", Facts: map[string]any{"present": true}}}
}

// networks says how much of the pool is in use, and whether the shared network is as it should be.
func (x *examination) networks(ctx context.Context) []Finding {
	pool, err := x.eng.pool()
	if err != nil {
		return []Finding{unusableFinding(x.eng.host, err)}
	}
	list, err := x.eng.api.NetworkList(ctx, network.ListOptions{})
	if err != nil {
		return []Finding{unknown("network_pool", "which networks the engine has", err)}
	}
	return []Finding{poolFinding(pool, list), sharedFinding(list)}
}

// poolFinding counts the subnets of the pool that networks of the engine hold.
func poolFinding(pool netip.Prefix, list []network.Summary) Finding {
	total, used := int64(1)<<(stackBits-pool.Bits()), int64(0)
	var names []string
	for i := range list {
		for _, c := range list[i].IPAM.Config {
			p, err := netip.ParsePrefix(c.Subnet)
			if err != nil || !p.Overlaps(pool) {
				continue
			}
			names = append(names, list[i].Name+" "+c.Subnet)
			used += min(total, int64(1)<<max(0, stackBits-p.Bits()))
		}
	}
	f := Finding{ID: "network_pool", Level: LevelOK, Says: fmt.Sprintf("%s, %d of %d subnets for stacks in use", pool, used, total),
		Facts: map[string]any{"pool": pool.String(), "subnets": total, "in_use": used, "networks": append([]string{}, names...)}}
	if used*100 >= total*crowded {
		f.Level, f.Advice = LevelWarn, "Remove networks that nobody needs, or choose a larger pool with "+poolVariable+"."
	}
	return f
}

// sharedFinding looks at the network of trials of one container.
func sharedFinding(list []network.Summary) Finding {
	f := Finding{ID: "network_shared", Level: LevelOK, Says: sharedNetwork + " is not there yet; the first run makes it", Facts: map[string]any{"name": sharedNetwork, "present": false}}
	for i := range list {
		n := &list[i]
		if n.Name != sharedNetwork {
			continue
		}
		subnet := ""
		if len(n.IPAM.Config) > 0 {
			subnet = n.IPAM.Config[0].Subnet
		}
		f.Says, f.Facts["present"], f.Facts["subnet"] = strings.TrimSpace(sharedNetwork+" "+subnet), true, subnet
		if n.Options[optNoICC] != "false" || n.Labels[LabelCache] == "" {
			f.Level, f.Says = LevelWarn, f.Says+" is not as seatrial makes it, so trials may reach one another"
			f.Advice = "Remove it while nothing runs (`docker network rm " + sharedNetwork + "`); the next run makes it anew."
		}
	}
	return f
}

// helper says whether the volume with the in-container helper is there. Whether it is filled is seen from here only by root on the engine's machine;
// each start of a stack looks for itself.
func (x *examination) helper(ctx context.Context) []Finding {
	digest, err := helperDigest(x.in.Arch)
	if err != nil {
		return nil // told with the platform
	}
	list, err := x.eng.api.VolumeList(ctx, volume.ListOptions{Filters: filters.NewArgs(filters.Arg("label", LabelCache+"=helper"))})
	if err != nil {
		return []Finding{unknown("helper", "which volumes the engine has", err)}
	}
	f := Finding{ID: "helper", Level: LevelOK, Says: "its volume is not there yet; the first run makes it", Facts: map[string]any{"volume": helperVolume + digest, "present": false}}
	others := []string{}
	for _, v := range list.Volumes {
		switch {
		case v.Name == helperVolume+digest:
			f.Says, f.Facts["present"] = "in volume "+v.Name, true
			if x.eng.host.Local() && there(v.Mountpoint) {
				filled := there(filepath.Join(v.Mountpoint, shelfMarker))
				f.Facts["filled"] = filled
				if !filled {
					f.Says += ", which the next run fills"
				}
			}
		case strings.HasPrefix(v.Name, helperVolume):
			others = append(others, v.Name)
		}
	}
	f.Facts["others"] = others
	if len(others) > 0 {
		f.Says += fmt.Sprintf(" (besides, %s of other versions of seatrial)", plural(len(others), "volume"))
	}
	return []Finding{f}
}

// images counts what was built before, and says which base images are there.
func (x *examination) images(ctx context.Context) []Finding {
	list, err := x.eng.api.ImageList(ctx, image.ListOptions{})
	if err != nil {
		return []Finding{unknown("images", "which images the engine has", err)}
	}
	return []Finding{cacheFinding(list), x.baseFinding(list)}
}

func cacheFinding(list []image.Summary) Finding {
	count, bytes := 0, int64(0)
	for i := range list {
		if list[i].Labels[LabelCache] == "image" {
			count++
			bytes += max(0, list[i].Size)
		}
	}
	f := Finding{ID: "images", Level: LevelOK, Says: "no images of tasks are cached", Facts: map[string]any{"count": count, "bytes": bytes}}
	if count > 0 {
		f.Says = fmt.Sprintf("%s of tasks cached, %s at most (layers that they share are counted each time)", plural(count, "image"), size(bytes))
	}
	return f
}

func (x *examination) baseFinding(list []image.Summary) Finding {
	tags := map[string]bool{}
	for i := range list {
		for _, t := range list[i].RepoTags {
			tags[t] = true
		}
	}
	have, missing := []string{}, []string{}
	for _, ref := range x.checkup.Bases {
		full := ref
		if !strings.Contains(full, ":") {
			full += ":latest"
		}
		if tags[full] || tags["docker.io/library/"+full] {
			have = append(have, ref)
		} else {
			missing = append(missing, ref)
		}
	}
	f := Finding{ID: "base_images", Level: LevelOK, Facts: map[string]any{"present": have, "missing": missing}}
	var parts []string
	if len(have) > 0 {
		parts = append(parts, strings.Join(have, ", ")+" present")
	}
	if len(missing) > 0 {
		parts = append(parts, strings.Join(missing, ", ")+" not there (pulled when a task needs one; `seatrial images base NAME` makes one without a registry)")
	}
	f.Says = strings.Join(parts, "; ")
	return f
}
