"""The site's stand-in for a worker, with which pages opened from files are searched."""

from pathlib import Path

SCRIPT = Path(__file__).parent.parent.parent / "docs" / "javascripts" / "iframe-worker.js"
WORKER = 'self.onmessage = ({ data }) => self.postMessage({ ...data, twice: "ab".repeat(2) });'
PAGE = """<!doctype html><body><script src="shim.js"></script><script>
window.heard = [];
const worker = new Worker("worker.js");
worker.onmessage = ({ data }) => window.heard.push(data);
const sent = { number: 7 };
worker.postMessage(sent);
sent.number = 8;
window.before = window.heard.length;
</script></body>"""


def test_a_page_from_a_file_has_a_worker(tmp_path, context):
    (tmp_path / "shim.js").write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "worker.js").write_text(WORKER, encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_function("window.heard.length === 1")
    # What is sent is a copy of that moment, and answers come later.
    assert page.evaluate("window.heard") == [{"number": 7, "twice": "abab"}]
    assert page.evaluate("window.before") == 0
    page.evaluate("worker.terminate()")
    assert page.locator("iframe").count() == 0
    page.close()
