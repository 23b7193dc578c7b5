#!/bin/sh
echo no wood; exit 3

