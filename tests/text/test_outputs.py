"""Long outputs of programs: what failed is kept wherever it stands, and what is left out is counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.extraction.outputs import condense, telling_lines

LIMIT = 2000
COMPILING = [f"[{n:>3}/500] Compiling src/error_handling/module_{n}.cc -Werror" for n in range(1, 501)]
PASSING = [f"tests/test_failures.py::test_exception_{n} PASSED  [{n // 5:>3}%]" for n in range(1, 501)]
FETCHING = [f"GET https://registry.example/fatal-attraction-{n}.tgz 200 OK" for n in range(1, 501)]

PYTHON = """Traceback (most recent call last):
  File "/srv/app/main.py", line 12, in <module>
    serve()
  File "/srv/app/serve.py", line 40, in serve
    bind(port)
PermissionError: [Errno 13] Permission denied: 443"""
CLANG = """src/net/socket.cc:88:14: error: no member named 'descriptor' in 'net::Socket'
    if (self.descriptor < 0) {
        ~~~~ ^"""
RUST = """error[E0502]: cannot borrow `rows` as mutable because it is also borrowed as immutable
  --> src/table.rs:41:9
   |
41 |         rows.push(first.clone());
   |         ^^^^^^^^^^^^^^^^^^^^^^^^ mutable borrow occurs here"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: pool is closed
\tat com.example.Pool.take(Pool.java:77)
\tat com.example.Main.main(Main.java:9)
Caused by: java.io.IOException: Broken pipe"""
GO = """--- FAIL: TestTransfer (0.02s)
    transfer_test.go:31: got 99, want 100"""
JEST = """  ● cart › adds an item twice
    Expected: 2
    Received: 1"""
GO_PANIC = """panic: runtime error: index out of range [5] with length 3

goroutine 18 [running]:
main.process(0xc000010000, 0x5)
\t/app/main.go:42 +0x1d"""
GO_PRINTED = """    payment_test.go:88: expected 3 attempts, got 5
    payment_test.go:91: last status = 502
--- FAIL: TestPaymentRetry (0.31s)"""
GO_BUILD = """# github.com/acme/billing/store
store/db.go:57:12: undefined: sqlx"""
JEST_WHOLE = """FAIL src/cart/total.test.ts
  ● Cart total › applies the discount once

    expect(received).toBe(expected) // Object.is equality

    Expected: 90
    Received: 81

      at Object.<anonymous> (src/cart/total.test.ts:23:26)"""
RSPEC = """  1) Order#ship! notifies the customer
     Failure/Error: expect(mailer).to have_received(:deliver).once

           expected: 1 time with any arguments
           received: 0 times with any arguments
     # ./spec/models/order_spec.rb:52:in `block (3 levels)'"""
TERRAFORM = """│ Error: creating RDS DB Instance (prod-main): Cannot find version 14.99 for postgres
│
│   with aws_db_instance.main,
│   on rds.tf line 12, in resource "aws_db_instance" "main":"""
DOTNET = """  Failed Acme.Tests.Invoice.RoundsUp [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 12
Actual:   13
  Stack Trace:
     at Acme.Tests.Invoice.RoundsUp() in /src/InvoiceTests.cs:line 33"""
ANSIBLE = """TASK [nginx : reload] ****
fatal: [web3]: FAILED! => {"changed": false, "msg": "Unable to reload service nginx"}"""
KUBECTL = """Events:
  Type     Reason     Age                From     Message
  Warning  BackOff    2m (x88 over 62m)  kubelet  Back-off restarting failed container billing
  Warning  Unhealthy  3m                 kubelet  Readiness probe failed: statuscode: 503"""
TSC = """src/app/user.service.ts(42,11): error TS2345: Argument of type 'undefined' is not assignable.
  Type 'undefined' is not assignable to type 'string'."""


def in_the_middle(lines: list[str], news: str, *, end: str = "") -> str:
    return "\n".join([*lines[:250], *news.splitlines(), *lines[250:], *([end] if end else [])])


@pytest.mark.parametrize("noise", [COMPILING, PASSING, FETCHING], ids=["compiling", "passing", "fetching"])
@pytest.mark.parametrize(
    "news",
    [
        PYTHON, CLANG, RUST, JAVA, GO, GO_PANIC, GO_PRINTED, GO_BUILD, JEST_WHOLE, RSPEC, TERRAFORM, DOTNET,
        ANSIBLE, KUBECTL, TSC,
    ],
    ids=lambda news: news.split()[0],
)  # fmt: skip
def test_one_failure_in_the_middle_is_kept_whole(noise: list[str], news: str) -> None:
    short = condense(in_the_middle(noise, news, end="1 failed, 499 passed in 3.2s"), LIMIT)
    assert all(line.rstrip() in short for line in news.splitlines())
    assert len(short) <= LIMIT
    assert short.startswith(noise[0]) and short.endswith("1 failed, 499 passed in 3.2s")


def test_of_many_equal_failures_the_rare_one_is_not_lost() -> None:
    lines = [f"ERROR worker {n}: retrying connection to 10.0.0.{n % 250}" for n in range(800)]
    lines[433] = "ERROR worker 433: disk /var is full"
    assert "disk /var is full" in condense("\n".join(lines), LIMIT)


def test_what_says_that_nothing_failed_is_no_failure() -> None:
    noise = [f"step {n}: 0 errors, 0 failures" for n in range(500)]
    assert telling_lines("\n".join([*noise, "disk quota exceeded: write refused", *noise]), 3)[1].startswith(
        "disk"
    )


def test_what_is_left_out_is_counted() -> None:
    text = in_the_middle(COMPILING, CLANG)
    short = condense(text, LIMIT)
    omitted = sum(int(n.replace(",", "")) for n in re.findall(r"… \[([\d,]+) lines? omitted\] …", short))
    kept = [line for line in short.splitlines() if "omitted] …" not in line]
    assert omitted + len(kept) == len(text.splitlines()) and set(kept) <= set(text.splitlines())


def test_a_failure_far_along_a_long_line_is_shown() -> None:
    line = "x " * 3000 + "connection refused by db-3" + " y" * 3000
    text = "\n".join(["starting", *["ok"] * 200, line, *["ok"] * 200, "stopped"])
    short = condense(text, LIMIT)
    assert "refused by db-3" in short and len(short) <= LIMIT


def test_a_traceback_longer_than_the_room_keeps_its_ends() -> None:
    frames = [f'  File "/a/{n}.py", line {n}, in f{n}\n    f{n + 1}()' for n in range(200)]
    text = in_the_middle(
        PASSING, "\n".join(["Traceback (most recent call last):", *frames, "KeyError: 'user'"])
    )
    short = condense(text, LIMIT)
    assert "Traceback (most recent call last):" in short and "KeyError: 'user'" in short and "f199" in short


def test_what_is_short_enough_comes_back_as_it_is() -> None:
    assert condense("a\r\n\n b \n", 100) == "a\r\n\n b \n"


@given(st.lists(st.text(max_size=300), max_size=80).map("\n".join), st.integers(50, 3000))
def test_whatever_comes_it_never_takes_more_than_its_room(text: str, limit: int) -> None:
    assert len(condense(text, limit)) <= limit
    assert condense(text, limit) == condense(text, limit)
    assert len(telling_lines(text, 4)) <= 4


@pytest.mark.parametrize(
    "news",
    ["db-0   0/1   OOMKilled   3   9m", "cp: Aufruf von stat für 'rechnung.pdf' nicht möglich: nicht da"],
)
def test_a_line_unlike_all_others_is_kept_whatever_its_words(news: str) -> None:
    pods = [f"web-{n}   1/1   Running   0   {n}h" for n in range(500)]
    assert news in condense(in_the_middle(pods, news), LIMIT)


def test_colours_and_progress_bars_are_no_part_of_what_is_said() -> None:
    bar = "".join(f"\rDownloading {percent}%" for percent in range(101))
    lines = [f"\x1b[32m✓\x1b[0m \x1b[2mlayer {n}\x1b[0m{bar if n == 200 else ''}" for n in range(400)]
    lines.insert(210, "\x1b[1m\x1b[31merror\x1b[0m\x1b[90m TS2322: \x1b[0mchecksum of layer 4 differs")
    short = condense("\r\n".join(lines), LIMIT)
    assert "error TS2322: checksum of layer 4 differs" in short
    assert "\x1b" not in short and "\r" not in short and "Downloading 50%Down" not in short


def test_where_little_room_is_the_telling_line_stands_alone() -> None:
    assert "no member named 'descriptor'" in condense(in_the_middle(COMPILING, CLANG), 400)
