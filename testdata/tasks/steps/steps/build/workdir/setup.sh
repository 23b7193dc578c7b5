#!/bin/sh
# Runs in the working directory, as the agent's user, before the step's agent.
touch ready && rm -- "$0"
