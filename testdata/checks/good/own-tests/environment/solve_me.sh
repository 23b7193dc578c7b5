#!/bin/sh
echo solve me
