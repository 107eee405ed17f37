"""Repairing a damaged file: in place where a digest proves it, else by salvage into a new one."""
