package images

import (
	"context"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
)

// useOf names the images of a digest for locks. The engine is no part of it: an image that is used on one is kept on all.
func useOf(digest string) []string { return []string{"image", digest} }

// use holds the images of a digest against Claim while find looks for one, and from then on until it is done with. What find saw before does not count.
func use(ctx context.Context, digest string, find func() (Image, error)) (Image, error) {
	done, err := lock.Use(ctx, useOf(digest)...)
	if err != nil {
		return Image{}, err
	}
	img, err := find()
	if err != nil || img.ID == "" {
		done()
		return img, err
	}
	img.done = done
	return img, nil
}

// Done says that an image is not needed any more. One that was made here is kept by all who remove such until that is said, or this process ends.
func (i Image) Done() {
	if i.done != nil {
		i.done()
	}
}

// Claim has the images of a digest to itself in order to remove them; nil while a process of this user on this host uses one. done gives them back, and gone
// says that they were removed.
func Claim(digest string) (done func(gone bool), err error) { return lock.Claim(useOf(digest)...) }

// LastUsed is when a process of this user on this host last began or ceased to use images of a digest; zero where none has.
func LastUsed(digest string) (time.Time, error) { return lock.LastUsed(useOf(digest)...) }

// Made says whether an image was made here, by its labels and all its names, and from what digest. An image that has another name as well, or none, is somebody
// else's: who derives one from an image that was made here inherits its labels.
func Made(labels map[string]string, tags []string) (digest string, ok bool) {
	digest = labels[DigestLabel]
	if labels[CacheLabel] != "image" || digest == "" || len(tags) == 0 {
		return "", false
	}
	for _, t := range tags {
		if !named(t, digest) {
			return "", false
		}
	}
	return digest, true
}
