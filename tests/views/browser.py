"""A real browser for the pages that memcli makes: what it shows, complains of and asks the network for."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
# A page tells of what its policy has stopped.
_WATCH = """
window.stopped = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.stopped.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


def executable() -> str | None:
    """A browser of Chromium's kind on this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Any]:
    """Such a browser, without a window; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed here")
    path = executable()
    if path is None:
        pytest.skip(f"no browser is installed here: {', '.join(NAMES)} (apt-get install chromium)")
    # Chromium's sandbox does not run for root.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page that was opened, and what it should never have: complaints, requests, stopped scripts."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, holds: Callable[[], bool], seconds: float = 20) -> None:
        """Wait until something holds. (The page's policy stops what the driver would wait with.)"""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.page.inner_text("body")[:1000]
            self.page.wait_for_timeout(20)

    def refuse(self, dialog: Any) -> None:
        """Note what a dialog says, and end it."""
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def faults(self) -> list[str]:
        """All of that, so far."""
        return [*self.complaints, *self.requests, *self.page.evaluate("window.stopped ?? []")]


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Opened]:
    """A page from a file, offline, in a window of 1280 by 800 or as `options` of the context say."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "offline": True, **options})
    page = context.new_page()
    shown = Opened(page)
    page.add_init_script(_WATCH)
    page.on("console", lambda told: shown.complaints.append(f"{told.type}: {told.text}"))
    page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    page.on("dialog", shown.refuse)
    page.on("request", lambda asked: shown.requests.append(asked.url) if asked.url != path.as_uri() else None)
    page.goto(path.as_uri())
    yield shown
    context.close()
