"""Whether the lab is well."""

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from app.model.sizing import size
from app.model.workload import Workload

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
def healthz() -> Response:
    """200 when the default workload can be sized."""
    return JSONResponse({"status": "ok", "default_shape": size(Workload()).shape.id})
