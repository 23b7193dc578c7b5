#!/bin/sh
echo ran >>/app/agent-ran
