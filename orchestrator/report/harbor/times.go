package harbor

import "time"

// local is a time as Harbor writes those of jobs and exceptions: in the zone of the machine, which is not named.
func local(t time.Time, zone *time.Location) string {
	return readable(t).In(zone).Format("2006-01-02T15:04:05.000000")
}

// utc is a time as Harbor writes those of trials.
func utc(t time.Time) *string {
	s := readable(t).UTC().Format("2006-01-02T15:04:05.000000Z")
	return &s
}

// readable keeps a time within what Python can read in any zone: its years are 1 to 9999.
func readable(t time.Time) time.Time {
	first, last := time.Date(1, 1, 3, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 29, 0, 0, 0, 0, time.UTC)
	switch {
	case t.Before(first):
		return first
	case t.After(last):
		return last
	}
	return t
}
