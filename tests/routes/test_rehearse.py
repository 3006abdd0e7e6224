"""The page for interview practice, as plain forms and links."""

import pytest


def test_without_a_case_one_is_drawn(client):
    """The bare address leads to a link that holds its seed, and is never kept."""
    answer = client.get("/rehearse", follow_redirects=False)

    assert answer.headers["location"].startswith("/rehearse?seed=")
    assert answer.headers["cache-control"] == "no-store"


def test_a_seed_opens_its_first_step(client):
    """The page shows the facts of the case and asks for the first numbers."""
    page = client.get("/rehearse?seed=7").text

    assert "175B parameters" in page
    assert 'name="state"' in page


def test_own_workload_is_a_case(client):
    """A link of the lab works as a case, down to the smallest and up to the largest."""
    assert "70B parameters" in client.get("/rehearse?params=70B&gpus=2048").text
    assert client.get("/rehearse?params=1e6&gpus=1").status_code == 200
    assert client.get("/rehearse?params=1e13&gpus=1000000").status_code == 200


def test_a_grade_names_the_slip_and_the_right_line(client):
    """One post: the diagnosis, the arithmetic, and the other fields hidden in the form."""
    fields = {"at": "memory", "state": "350 GB", "days": "9 days", "do": "grade"}
    page = client.post("/rehearse?seed=7", data=fields).text

    assert "weights alone" in page
    assert "16 bytes × 175B parameters = 2.80 TB" in page
    assert '<input type="hidden" name="days" value="9 days">' in page


def test_an_unread_number_is_asked_about(client):
    """A missing unit is asked for at its field, and nothing is given away."""
    page = client.post("/rehearse?seed=7", data={"at": "memory", "state": "2800", "do": "grade"}).text

    assert "Which unit?" in page
    assert 'aria-invalid="true"' in page
    assert "2.80 TB" not in page


def test_report_is_saved_as_files(client):
    """Both files are attachments made from the posted answers."""
    for kind, start in (("md", "# Rehearsal report"), ("json", "{")):
        answer = client.post(f"/rehearse/report.{kind}?seed=7", data={"state": "2.8 TB"})

        assert answer.headers["content-disposition"] == f'attachment; filename="rehearsal.{kind}"'
        assert answer.text.startswith(start)


@pytest.mark.parametrize("query", ["seed=x", "seed=-1", "colour=red", "gpus=0", "seed=1&seed=2"])
def test_a_link_without_a_case_says_so(client, query):
    """A broken link gets a page that leads on."""
    answer = client.get(f"/rehearse?{query}")

    assert answer.status_code == 422
    assert "This link holds no case" in answer.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"at=" + b"x" * 5000,
        b"&".join(b"a=%d" % i for i in range(500)),
        b"do=go:&at=%00",
        b"state=%F0%9F%98%80&do=report",
    ],
)
@pytest.mark.parametrize("path", ["/rehearse", "/rehearse/report.md", "/rehearse/report.json", "/rehearse/report.exe"])
def test_no_body_is_an_error_of_the_server(client, path, body):
    """Whatever is posted is answered or refused."""
    assert client.post(f"{path}?seed=7", content=body).status_code < 500


def test_markup_in_answers_is_text(client):
    """What a candidate writes is shown, not run."""
    page = client.post("/rehearse?seed=7", data={"at": "memory", "state": "<script>x</script>", "do": "report"}).text

    assert "<script>x" not in page
    assert "&lt;script&gt;x" in page
