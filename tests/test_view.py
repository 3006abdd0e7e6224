"""From a Sizing to what the template prints."""

from dataclasses import replace

import pytest

from app.model.answer import Bottleneck, Figure, PathPart
from app.view import answer_view
from tests.samples import WORKLOADS, sized, sized_before


def bar(load: float, was: float | None = None):
    """The first bar of a design with this load of memory."""
    s = sized("default")

    def with_load(value: float):
        status = "ok" if value < 0.7 else "tight" if value < 1 else "over"
        loaded = Bottleneck("memory", "Memory", value, status, Figure("m", value, f"{100 * value:.0f}", "%", "of"))
        return replace(s, bottlenecks=(loaded,))

    return answer_view(with_load(load), None if was is None else with_load(was)).bars[0]


def test_a_load_is_a_share_of_a_scale_to_150_percent():
    """78 % ends at 52 % of the track."""
    assert (bar(0.78).fill, bar(0.78).over) == ("52%", "")


def test_a_load_over_100_percent_is_hatched_from_there():
    """129 %: plain up to 100 %, then 29 % hatched."""
    assert (bar(1.29).fill, bar(1.29).over, bar(1.29).beyond) == ("66.67%", "19.33%", False)


def test_a_load_beyond_the_scale_is_cut_and_notched():
    """198 % fills the track and says that it goes on."""
    assert (bar(1.98).over, bar(1.98).beyond) == ("33.33%", True)


def test_a_ghost_marks_the_load_before():
    """What was 85 % stands at 56.67 %, with words beside it."""
    assert (bar(0.78, was=0.85).ghost, bar(0.78, was=0.85).was) == ("56.67%", "was 85 %")
    assert bar(0.78).ghost == ""


def test_a_ghost_beyond_the_scale_stands_at_its_end():
    """A mark never leaves the track."""
    assert bar(0.78, was=7.0).ghost == "100%"


def test_activations_without_room_say_so():
    """Where state fills a GPU there is no percentage to give."""
    activations = next(b for b in answer_view(sized("too big")).bars if b.id == "activations")

    assert (activations.text, activations.unit) == ("no", "room")


def test_the_path_has_five_parts_before_the_mesh_and_four_after():
    """Dataset, loaders and three splits lead in; fabric, store, metrics and recovery follow."""
    v = answer_view(sized("fleet"))

    assert [p.id for p in v.inputs] == ["corpus", "loaders", "data_parallel", "tensor_parallel", "pipeline_parallel"]
    assert [p.id for p in v.outputs] == ["fabric", "checkpoint_store", "metrics", "recovery"]


def test_a_group_is_named_once():
    """Only the first part of the training mesh carries its name."""
    assert [p.group for p in answer_view(sized("fleet")).inputs][2:] == ["Training mesh", "", ""]


def part(*notes: str, figure: Figure):
    """The first part of a path whose second figure and notes are these."""
    s = sized("fleet")
    first = PathPart("corpus", "Corpus", "Data", True, (Figure("a", 1.0, "1", "x"), figure), notes)
    return answer_view(replace(s, path=(first, *s.path[1:]))).inputs[0]


def test_a_figure_told_in_a_note_is_marked_there():
    """'3.90 s to write' is the figure itself, not a second line."""
    lines = part("every 30 min", "3.90\u00a0s to write", figure=Figure("w", 3.9, "3.90", "s", "to write")).lines

    assert [(line.before, line.figure and line.figure.id, line.after) for line in lines] == [
        ("every 30 min", None, ""),
        ("", "w", "\u00a0s to write"),
    ]


def test_a_figure_within_a_longer_number_is_not_taken_for_it():
    """'3.9 s' does not stand in '13.9 s'."""
    lines = part("13.9 s to write", figure=Figure("w", 3.9, "3.9", "s")).lines

    assert [line.figure and line.figure.id for line in lines] == ["w", None]


def test_bytes_on_a_link_carry_a_piece_of_it():
    """What the replicas exchange shows the width of its link."""
    lines = {p.id: p.lines for p in answer_view(sized("fleet")).inputs}

    assert float(lines["tensor_parallel"][0].link) > float(lines["pipeline_parallel"][0].link)


@pytest.mark.parametrize("name", ["one", "node", "too big", "far too big"])
def test_a_small_mesh_shows_memory(name):
    """One node, or a design that does not fit: stacks against the line."""
    v = answer_view(sized(name))

    assert v.grid is None
    assert v.stacks is not None


@pytest.mark.parametrize("name", ["default", "prime", "fleet", "million", "long", "deep"])
def test_a_mesh_of_many_nodes_shows_its_grid(name):
    """More than one node: columns and rows."""
    v = answer_view(sized(name))

    assert v.stacks is None
    assert v.grid is not None


def test_idle_gpus_are_named():
    """What the sizes leave over is said beside the layout."""
    s = sized("million")

    idle = 1_000_000 - s.layout.gpus_used
    assert answer_view(s).layout.idle == (f"{idle} GPUs idle" if idle else "")


def test_acting_rules_come_first():
    """In sight and beyond, no resting rule stands before an acting one."""
    v = answer_view(sized("default"))
    acting = [r.acting for r in (*v.rules, *v.more_rules)]

    assert acting == sorted(acting, reverse=True)
    assert sum(acting) == v.acting


def test_why_names_what_it_explains():
    """A change, a design alone, or what does not fit."""
    headings = [answer_view(sized(n)).why.heading for n in ("fleet", "one", "too big")]

    assert headings == ["Why this changed", "Why this shape", "Why it does not fit"]


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_spoken_sentence_is_short(name):
    """Title, days and the loads that press: one sentence for those who listen."""
    spoken = answer_view(sized(name), sized_before(name)).spoken

    assert spoken.startswith(sized(name).shape.title)
    assert len(spoken) < 260
