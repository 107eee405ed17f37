"""The text of a procedure: what is read from it, and that nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import BadInput
from memcli.text.yaml_text import read_yaml, write_yaml
from memcli.tiers.procedures.document import (
    DocumentFormat,
    ProcedureText,
    document_format,
    procedure_document,
    read_procedure,
    renamed_document,
)

SKILL = """\
---
name: pdf-forms
description: Fill in PDF forms. Use when: the user has a form
license: Apache-2.0
allowed-tools: Bash(pdftk:*) Read
---

# PDF forms

Read `reference.md` first.
"""

MARKDOWN = """\
---
name: deploy
tools: git, kubectl
owner: ops
---
# Deploy

Ship the web app
to production.

It takes ten minutes.

## When to use

A release is tagged

## Steps

1. Build
   ```sh
   # no heading
   - no item
   ```
2. Push
   - to the registry
10. Look

### Then

rest
## Safety checks

- [ ] tests are green
* nobody else deploys

## Background

- no check
"""

# What YAML and Markdown might stumble over; surrogates are no text.
hostile = st.text(st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool)
texts = st.one_of(
    hostile, st.sampled_from(["no", "1.10", "~", "null", "- x", "a: b", "# x", "2026-05-03", "'"])
)
lists = st.lists(texts, max_size=3).map(tuple)
fields = {"name": texts, "description": texts, "when": texts}
procedures = st.builds(ProcedureText, **fields, steps=lists, tools=lists, checks=lists, examples=lists)
values = st.recursive(texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8)


@given(procedures)
def test_a_procedure_written_and_read_is_the_same(procedure: ProcedureText) -> None:
    assert read_procedure(procedure_document(procedure), "yaml", "test") == procedure


@given(values)
def test_yaml_written_and_read_is_the_same_and_ends_with_one_newline(value: object) -> None:
    text = write_yaml(value)
    assert read_yaml(text, "test") == value
    assert text.endswith("\n")


@given(st.text(st.characters(codec="utf-8")), st.sampled_from(["markdown", "yaml"]))
def test_any_text_is_read_or_refused_in_one_line(document: str, form: DocumentFormat) -> None:
    try:
        read_procedure(document, form, "here")
    except BadInput as error:
        assert str(error).startswith("here: ")
        assert "\n" not in str(error)


@given(
    texts.filter(str.isprintable),
    st.sampled_from([MARKDOWN, SKILL, "Just do it", "---\ndescription: x\r\n---\r\n"]),
)
def test_a_document_can_be_made_to_say_its_name_and_nothing_else_changes(name: str, document: str) -> None:
    after = renamed_document(document, "markdown", name, "test")
    assert read_procedure(after, "markdown", "test")._replace(name="") == read_procedure(
        document, "markdown", "x"
    )._replace(name="")
    assert read_procedure(after, "markdown", "test").name == name
    assert renamed_document(after, "markdown", name, "test") == after


def test_markdown_is_read_from_front_matter_and_headings() -> None:
    procedure = read_procedure(MARKDOWN, "markdown", "deploy.md")
    assert procedure.description == "Ship the web app to production."
    assert procedure.when == "A release is tagged"
    assert procedure.tools == ("git", "kubectl")
    assert procedure.steps == (
        "Build\n```sh\n# no heading\n- no item\n```",
        "Push\n- to the registry",
        "Look\n\n### Then\n\nrest",
    )
    assert procedure.checks == ("tests are green", "nobody else deploys")


def test_yaml_is_read_as_it_is_written() -> None:
    document = (
        "when: on\nsteps:\n  - Check: the tests\n  - 'no'\ntools: [git,  make]\nexamples: |\n  one\n  two\n"
    )
    procedure = read_procedure(document, "yaml", "x.yaml")
    assert procedure.when == "on"
    assert procedure.steps == ("Check: the tests", "no")
    assert procedure.tools == ("git", "make")
    assert procedure.examples == ("one", "two")


def test_the_front_matter_of_a_skill_may_be_no_yaml() -> None:
    skill = read_procedure(SKILL, "markdown", "SKILL.md")
    assert skill.description == "Fill in PDF forms. Use when: the user has a form"
    # An agent's tools are none of this machine's.
    assert skill.tools == ()


@pytest.mark.parametrize(
    "front",
    [
        "name: x\ndescription: Use when: asked\nmetadata:\n  author: me\n  tags: [a, b]\n",
        'name: "x"\nargument-hint: [a] [b]\ndescription: Use when: asked\n',
        "name: x\nhint: [a] [b]\ndescription: >-\n  Use when:\n  asked\n",
    ],
)
def test_front_matter_that_is_no_yaml_is_read_by_line(front: str) -> None:
    skill = read_procedure(f"---\n{front}---\nbody\n", "markdown", "SKILL.md")
    assert (skill.name, skill.description) == ("x", "Use when: asked")


def test_a_search_finds_name_description_and_situation() -> None:
    procedure = ProcedureText(description="Ship it", when="a tag is pushed")
    assert procedure.search_text("deploy") == "deploy: Ship it\nWhen: a tag is pushed"


@pytest.mark.parametrize(
    ("document", "name", "form"),
    [
        (MARKDOWN, "", "markdown"),
        ("description: x", "", "yaml"),
        ("Steps: first this, then that", "", "yaml"),
        ("# Title\n\nName: x", "", "markdown"),
        ("Remember: never do that", "", "markdown"),
        ("description: x", "deploy.md", "markdown"),
        ("# x", "deploy.YML", "yaml"),
        ("description: x\ndescription: y", "", "yaml"),
    ],
)
def test_the_form_is_told_by_suffix_else_by_look(document: str, name: str, form: str) -> None:
    assert document_format(document, name) == form


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("a: &x [1, 1]\nb: [*x, *x]\n", "line 2: no YAML aliases"),
        ("steps: [a\n", "line 2"),
        ("name: x\nname: y\n", "line 2: 'name' is given twice"),
        ("? [a, b]\n: c\n", "a key must be plain text"),
        ("- a\n- b\n", "expected `field: value`"),
        ("name: x\n", "says nothing yet"),
        ("", "says nothing yet"),
        ("!!python/object/apply:os.system [id]", "expected `field: value`"),
        ("[" * 3000, "f.yaml"),
    ],
)
def test_yaml_that_is_no_procedure_is_refused_with_the_reason(document: str, said: str) -> None:
    with pytest.raises(BadInput, match="f.yaml") as refused:
        read_procedure(document, "yaml", "f.yaml")
    assert said in str(refused.value)


def test_front_matter_that_is_not_closed_is_refused() -> None:
    with pytest.raises(BadInput, match="not closed"):
        read_procedure("---\nname: x\n", "markdown", "x.md")
