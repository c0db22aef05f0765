"""Drives valkey-py 6; package compat says what it is asked to do and what it prints."""

import sys
from pathlib import Path

import valkey

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python-common"))

import program
import redis_py

program.main(redis_py.Driver(valkey.Valkey, valkey.ValkeyCluster))
