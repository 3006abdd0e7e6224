"""Static files: named by content, kept for ever, packed once."""

import gzip

import pytest

from app import assets


def test_asset_is_kept_for_ever(client):
    """A file under the hash of today's content never changes, so browsers need not ask again."""
    answer = client.get(assets.asset_url("vendor/htmx.min.js"))

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


def test_asset_under_an_old_hash_is_not_kept(client):
    """A page from before an update still gets its files, but not to keep."""
    answer = client.get("/static/0123456789ab/vendor/htmx.min.js")

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"


def test_packed_asset_unpacks_to_the_file():
    """The packed form is the file itself, and much smaller."""
    packed = assets.packed("vendor/htmx.min.js")

    assert gzip.decompress(packed) == assets.files()["vendor/htmx.min.js"]
    assert len(packed) < 16_000


def test_asset_goes_unpacked_to_whoever_cannot_unpack(client):
    """Without gzip among the accepted encodings the file comes as it is."""
    answer = client.get(assets.asset_url("vendor/htmx.min.js"), headers={"accept-encoding": "identity"})

    assert "content-encoding" not in answer.headers
    assert answer.content == assets.files()["vendor/htmx.min.js"]


@pytest.mark.parametrize("name", ["../main.py", "%2e%2e/main.py", "vendor/.htmx.org", "nothing.css"])
def test_nothing_else_is_served(client, name):
    """Only files under static/ are served, and none of the build's own marks."""
    assert client.get(f"/static/{assets.digest()}/{name}").status_code == 404


def test_missing_asset_says_what_to_do():
    """A template that names a file which is not there fails with the remedy."""
    with pytest.raises(FileNotFoundError, match="make setup"):
        assets.asset_url("vendor/none.js")
