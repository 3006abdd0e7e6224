"""Habits of the model's code: evidence in every docstring, no web import."""

import ast
from pathlib import Path

import pytest

MODEL = Path(__file__).parents[2] / "app" / "model"
FORMULAS = ("collectives", "compute", "data_supply", "memory", "pipeline", "reliability")


def functions() -> list[tuple[str, str, str]]:
    found = []
    for module in FORMULAS:
        tree = ast.parse((MODEL / f"{module}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found.append((module, node.name, ast.get_docstring(node) or ""))
    return found


NOT_FORMULAS = {"stages", "stage_load", "chip_of", "reliability"}


@pytest.mark.parametrize(("module", "name", "doc"), [f for f in functions() if f[1] not in NOT_FORMULAS])
def test_every_formula_names_unit_source_and_limits(module, name, doc):
    """A formula without unit, source or limits does not enter the model."""
    assert "[" in doc.split("\n\n")[0]
    assert "Source:" in doc
    assert "Limits:" in doc


@pytest.mark.parametrize("path", sorted(MODEL.glob("*.py")), ids=lambda p: p.stem)
def test_the_model_imports_nothing_of_the_web(path):
    """Only the standard library, numpy, pydantic, YAML and itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}

    assert not [
        n for n in names if n.split(".")[0] in {"fastapi", "starlette", "jinja2", "httpx2", "uvicorn", "socket"}
    ]
    assert not [n for n in names if n.startswith("app.") and not n.startswith("app.model")]
