"""The stock of invented code holds together in every language and every domain."""

import pytest

from tracedance.synth import stock
from tracedance.synth.domains import DOMAINS, Domain
from tracedance.synth.toolchain import loosen, tidy

SHELF = [(language, name) for language in stock.LANGUAGES for name in stock.names(language)]


def test_every_language_has_modules() -> None:
    assert all(len(stock.names(language)) >= 3 for language in stock.LANGUAGES)


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.slug)
def test_every_edit_fits_exactly_once_and_brings_what_its_tests_need(domain: Domain) -> None:
    for language, name in SHELF:
        module = stock.module(language, name, domain.words)
        for task in module.tasks:
            files = dict(module.files)
            assert all(needed not in files[path] for _, path, needed in task.tests)
            for edit in task.edits:
                assert files[edit.path].count(edit.old) == 1, (name, task.name, edit.old)
                files[edit.path] = files[edit.path].replace(edit.old, edit.new)
            assert task.tests and all(needed in files[path] for _, path, needed in task.tests)
            assert all(any(test in text for text in files.values()) for test, _, _ in task.tests)


@pytest.mark.parametrize(("language", "name"), SHELF)
def test_the_formatter_leaves_stock_alone_and_undoes_what_loosening_did(language: str, name: str) -> None:
    for text in stock.module(language, name, DOMAINS[0].words).files.values():
        assert tidy(text, language) == text
        assert tidy(loosen(text, language), language) == text


@pytest.mark.parametrize(("language", "name"), SHELF)
def test_no_placeholder_is_left(language: str, name: str) -> None:
    for text in stock.module(language, name, DOMAINS[0].words).files.values():
        assert not stock.WORD.search(text)


def test_domains_differ_in_every_noun_pair() -> None:
    assert len({(domain.items, domain.tag) for domain in DOMAINS}) == len({domain.slug for domain in DOMAINS}) == len(DOMAINS)
