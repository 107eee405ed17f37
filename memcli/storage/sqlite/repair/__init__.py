"""Mending a damaged file: in place what can be proven, else by salvage into a new one."""
