"""The page where a model is brought, and the same over the API."""

import html
import json
import re

import pytest

from app.formats.huggingface import read_config
from app.model.units import THIN
from app.safety import FILE_LIMIT_BYTES
from tests.configs import FOLDER, config_text

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
UNTIMED = ("jamba-v0.1", "mamba-codestral-7b", "nemotron-3-nano-30b-a3b")


def opened(page: str) -> str:
    """The link into the lab."""
    (link,) = re.findall(r'id="open" href="([^"]+)"', page)
    return html.unescape(link)


def figure(page: str, name: str) -> int:
    (text,) = re.findall(rf'data-count="{name}">([^<]+)<', page)
    return int(text.replace(THIN, ""))


@pytest.mark.parametrize("name", NAMES)
def test_a_released_model_is_counted_exactly(client, name):
    """The page shows total and active parameters to the last digit."""
    page = client.post("/model", files={"file": ("config.json", config_text(name))}).text
    model = read_config(config_text(name)).model

    assert (figure(page, "total"), figure(page, "active")) == (model.total_params, model.active_params)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNTIMED])
def test_the_link_opens_the_lab_on_that_model(client, name):
    """Whoever follows it gets the lab, sized for the model, with the other inputs kept."""
    page = client.post("/model?gpus=256", data={"config": config_text(name)}).text
    answer = client.get("/api/size" + opened(page)[1:]).json()

    assert answer["model"]["total_params"] == read_config(config_text(name)).model.total_params
    assert answer["workload"]["gpus"] == 256
    assert client.get(opened(page)).status_code == 200


@pytest.mark.parametrize("name", UNTIMED)
def test_a_model_without_time_has_no_link(client, name):
    """It is counted, and the page says why the lab does not size it."""
    answer = client.post("/model", data={"config": config_text(name)})

    assert answer.status_code == 200
    assert "No time is given: " in answer.text
    assert 'id="open"' not in answer.text


def test_pasted_and_uploaded_files_are_read_alike(client):
    """Form data and a file of the same text give the same page."""
    text = config_text("gpt-oss-20b")
    pages = [
        client.post("/model", data={"config": text}),
        client.post("/model", files={"file": ("config.json", text)}),
        client.post("/model", data={"config": "{"}, files={"file": ("config.json", text)}),
    ]

    assert len({page.text for page in pages}) == 1
    assert "expert biases" in pages[0].text


def test_defaults_and_notes_are_said(client):
    """What the file leaves out stands on the page with the value taken."""
    page = client.post("/model", data={"config": config_text("gemma-3-1b")}).text

    assert "Taken where the file says nothing" in page
    assert "sliding window" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "is missing: choose the file, or paste its text", id="nothing"),
        pytest.param("{", "is not JSON", id="cut off"),
        pytest.param("[" * 100_000, "is nested too deeply", id="nested"),
        pytest.param('{"model_type": "dbrx2"}', "<b>model_type</b>", id="unknown type"),
        pytest.param('{"model_type": "llama", "hidden_size": -5}', "<b>hidden_size</b>", id="negative"),
        pytest.param('{"model_type": "<script>alert(1)</script>"}', "&lt;script&gt;alert(1)", id="markup"),
    ],
)
def test_a_file_that_is_not_read_leaves_a_usable_page(client, text, message):
    """The page names the field and what to do, and keeps the text to mend."""
    answer = client.post("/model?gpus=256", data={"config": text})

    assert answer.status_code == 422
    assert message in answer.text
    assert "<script>alert" not in answer.text
    assert html.escape(text, quote=False)[:50] in answer.text.replace("&#34;", '"')
    assert 'action="/model?gpus=256"' in answer.text


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"x", "multipart/form-data"), (b"--b\r\nx", "multipart/form-data; boundary=b"), (b"\xff\x00", "text/plain")],
)
def test_a_body_that_is_no_form_is_refused(client, body, kind):
    """No crash: the page says that nothing was read."""
    answer = client.post("/model", content=body, headers={"content-type": kind})

    assert answer.status_code == 422
    assert "<b>config.json</b>" in answer.text


def test_a_file_larger_than_a_configuration_is_refused(client):
    """Weights uploaded by mistake are a 413 after one megabyte."""
    answer = client.post("/model", files={"file": ("model.bin", b"0" * (FILE_LIMIT_BYTES + 1))})

    assert answer.status_code == 413


def test_a_name_is_text_on_every_page(client):
    """A stranger's name never becomes markup, neither here nor in the lab."""
    name = "<img src=x onerror=alert(1)>"
    page = client.post("/model", data={"config": config_text("gpt2"), "name": name}).text
    lab = client.get(opened(page)).text

    assert html.escape(name) in page.replace("&#34;", "&quot;")
    assert html.escape(name) in lab
    assert "<img" not in page + lab


def test_the_form_leads_here_with_its_workload(client):
    """The lab's link carries the inputs, and the way back gives them again."""
    lab = client.get("/?gpus=256&seq_tokens=8192").text
    page = client.get("/model?gpus=256&seq_tokens=8192").text

    assert '<a href="/model?gpus=256&amp;seq_tokens=8192" data-bring>bring a config.json</a>' in lab
    assert '<a href="/?gpus=256&amp;seq_tokens=8192">Back to the lab</a>' in page


def test_the_page_counts_the_model_of_the_lab(client):
    """Opened from a preset, it shows the preset part by part."""
    assert figure(client.get("/model?model=llama-3.1-70b").text, "total") == 70_553_706_496


def test_a_bad_input_of_the_lab_is_named(client):
    """Inputs that cannot be used are not dropped in silence."""
    answer = client.get("/model?gpus=0")

    assert answer.status_code == 422
    assert "<b>gpus</b> is 0, below the bound" in answer.text


def test_the_lab_shows_the_model_in_place_of_the_presets(client):
    """Name, locked count, and the link that frees it at the same count."""
    code = client.post("/api/model", content=config_text("qwen3-32b")).json()["own_model"]
    page = client.get("/", params={"own_model": code}).text

    assert "<b>qwen3</b>" in page
    assert f'<input type="hidden" name="own_model" value="{code}">' in page
    assert 'href="/?params=32762123264" data-free data-apply>free it' in page
    assert re.search(r'id="params" name="params" value="32.8B"[^>]* disabled', page)


def test_a_bad_code_leaves_a_usable_lab(client):
    """A link cut short is refused with what to do."""
    answer = client.get("/?own_model=abc")

    assert answer.status_code == 422
    assert "make one from a config.json on /model" in answer.text
    assert 'id="gpus-slider"' in answer.text


def test_the_api_counts_a_model(client):
    """The body is the file; `own_model` is an input of the other calls."""
    counted = client.post("/api/model", content=config_text("glm-4.5-air")).json()
    sized = client.get("/api/layouts", params={"own_model": counted["own_model"], "gpus": "512", "top": "1"})

    assert counted["time_predictable"] is True
    assert sum(part["active_params"] for part in counted["parts"]) == counted["active_params"]
    assert sized.json()["workload"]["params"] == counted["total_params"]


def test_the_api_says_what_it_does_not_size(client):
    """A state-space model has counts, no code, and the reason."""
    answer = client.post("/api/model", content=config_text("mamba-codestral-7b")).json()

    assert (answer["total_params"], answer["own_model"], answer["time_predictable"]) == (7_285_403_648, None, False)
    assert "64 of 64 layers mix by state space" in answer["untimed"]


def test_the_api_refuses_as_ever(client):
    """A file that is not read is a 422 with problem details."""
    answer = client.post("/api/model", content=json.dumps({"model_type": "dbrx2"}))
    (error,) = answer.json()["errors"]

    assert answer.status_code == 422
    assert (error["field"], error["value"]) == ("model_type", "dbrx2")
