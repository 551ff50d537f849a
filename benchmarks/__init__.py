"""Measurements that take longer than a test: each module is one command and prints a table."""
