"""The bibliography."""

import pytest

from app.model.answer import Source
from app.model.sources import SOURCES, source


def test_a_citation_carries_label_place_and_link():
    """A page gets all that it shows of a citation from one call."""
    assert source("narayanan21", "section 2.2.1") == Source(
        id="narayanan21",
        label="Narayanan 2021",
        where="section 2.2.1",
        url="https://arxiv.org/abs/2104.04473",
    )


def test_a_source_that_we_do_not_have_is_refused():
    """Citing an unknown id fails, so that no page can show a source that is not in the list."""
    with pytest.raises(KeyError, match="nobody99"):
        source("nobody99")


@pytest.mark.parametrize("id", SOURCES)
def test_every_source_can_be_followed(id):
    """A source has a title, authors and a link; an arXiv number goes with the link to it."""
    reference = SOURCES[id]

    assert reference.title
    assert reference.authors
    assert reference.url.startswith("https://")
    assert reference.arxiv in reference.url


def test_labels_end_with_the_year():
    """A label is short and says when."""
    assert [r.id for r in SOURCES.values() if not r.label.endswith(str(r.year)) or len(r.label) > 30] == []


def test_tensor_pipeline_and_data_parallelism_are_cited_from_2021():
    """The 2019 Megatron paper has no pipeline: what cites all three cites arXiv:2104.04473."""
    assert SOURCES["megatron1"].arxiv == "1909.08053"
    assert SOURCES["narayanan21"].arxiv == "2104.04473"
