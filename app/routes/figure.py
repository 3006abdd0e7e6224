"""The arithmetic of one figure: a fragment for the lab, a page of its own where scripts are off."""

from fastapi import APIRouter, HTTPException, Request, Response

from app.derivation_view import Place, derivation_view, figure_list
from app.model.derivations import derivation
from app.model.sizing import design
from app.model.workload import Workload, WorkloadError
from app.pages import html, render, wants_fragment
from app.query import read_query, short, single

router = APIRouter(include_in_schema=False)


@router.get("/figure")
async def figure(request: Request) -> Response:
    """One figure of a workload; without an id the list of all."""
    try:
        values = single(request.query_params.multi_items())
        own = {name: values.pop(name, "") for name in ("id", "reading", "from")}
        workload, _ = read_query(values.items())
    except WorkloadError as error:
        raise HTTPException(422, f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    return html(shown(request, workload, own))


def shown(request: Request, workload: Workload, own: dict[str, str]) -> str:
    """The panel's inside, or the page around it; 422 where no figure has that name."""
    place = Place(workload.query(), tuple(filter(None, own["from"].split(","))))
    now = design(workload)
    if not own["id"]:
        return render("figures.html", sections=figure_list(now, place), home=place.home)
    try:
        found = derivation(now, own["id"], own["reading"])
        view = derivation_view(now, found, place)
    except KeyError as error:
        name = short(str(error.args[0]))
        raise HTTPException(422, f"There is no figure {name!r}; /figure lists them all.") from None
    if wants_fragment(request):
        return render("_derivation.html", d=view, level=3)
    return render("derivation.html", d=view, level=2)
