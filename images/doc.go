// Package images turns a folder with a Dockerfile, or a reference, into an image
// on the engine. Builds go through the engine's own BuildKit with a Dockerfile
// frontend that runs in this process, so no registry is asked for one; each
// build is keyed by a digest of all that goes into it and made once.
package images
