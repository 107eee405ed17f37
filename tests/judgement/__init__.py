"""Tests of `memcli.judgement`."""
