"""Threads that let others go first."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from memcli.system.processors import let_others_go_first


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has a niceness for each thread")
def test_a_thread_that_lets_others_go_first_is_nicer_than_they_and_so_are_those_that_it_starts() -> None:
    def own() -> int:
        return os.getpriority(os.PRIO_PROCESS, 0)

    def of_another() -> int:
        with ThreadPoolExecutor(1) as started:
            return started.submit(own).result()

    before = own()
    with ThreadPoolExecutor(1, initializer=let_others_go_first) as thread:
        nicer, others = thread.submit(own).result(), thread.submit(of_another).result()
    assert own() == before and others == nicer
    assert nicer > before or before == 19
