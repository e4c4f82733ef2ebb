#!/usr/bin/env python3
"""Executes notebooks in place and renders each as a page of HTML beside it.

Usage: notebooks.py NOTEBOOK...
A page needs no network and no script; it and the executed notebook are the same on each run with
the same packages: no times, no random names. Fails when a notebook is not valid nbformat, a cell
fails, or a page would load something or is too large. Needs the packages of notebooks.txt.
"""

import html
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from jinja2 import DictLoader
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

LIMIT = 1_000_000

CELLS = """{% extends 'basic/index.html.j2' %}
{% block input_group %}<details><summary>code</summary>{{ super() }}</details>{% endblock %}
{% block in_prompt %}{% endblock %}
{% block output_area_prompt %}{% endblock %}
{% block data_svg %}{{ output.data['image/svg+xml'] }}{% endblock %}
"""

STYLE = """
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;color:#16202b;background:#fff;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1rem}
header,footer{color:#4a5866;font-size:.85rem}
header{padding-top:1rem}footer{padding-bottom:2rem;border-top:1px solid #d3dae2;margin-top:2rem}
h1{font-size:1.5rem;line-height:1.25;margin:.75rem 0;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;padding-top:1rem;border-top:1px solid #d3dae2}
p,ul{max-width:72ch;margin:.5rem 0}
a{color:#00558f}
svg{display:block;width:100%;max-width:36rem;height:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.85rem;line-height:1.35;margin:.5rem 0}
caption{text-align:left;color:#4a5866;padding-bottom:.3rem;max-width:calc(100vw - 2rem);
position:sticky;left:0}
th,td{padding:.3rem .55rem;border-bottom:1px solid #d3dae2;vertical-align:top}
thead th{border-bottom-width:2px;vertical-align:bottom}
td:first-child{font-weight:500}
td{max-width:28rem;overflow-wrap:break-word}
details{margin:.5rem 0}
summary{cursor:pointer;color:#4a5866;font-size:.85rem}
summary:focus-visible,a:focus-visible{outline:3px solid #00558f;outline-offset:2px}
code,pre{font:.82rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{overflow-wrap:anywhere}
.highlight{background:#f3f6f9;border:1px solid #d3dae2;border-radius:.3rem;padding:.2rem .8rem;
overflow-x:auto}
.jp-RenderedText pre,.output_text pre{white-space:pre-wrap;margin:.4rem 0}
@media (max-width:30rem){th,td{padding:.25rem .4rem}}
@media print{details{display:none}header,main,footer{max-width:none}
svg,tr{break-inside:avoid}h2,caption{break-after:avoid}table{font-size:8pt}}
"""


def fail(path, text):
    raise SystemExit(f"notebooks: error: {path}: {text}")


def execute(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    # Sockets in a folder of their own: nothing listens on the network.
    with tempfile.TemporaryDirectory() as sockets:
        client = NotebookClient(
            notebook, timeout=300, startup_timeout=300, kernel_name="python3",
            record_timing=False, resources={"metadata": {"path": str(path.parent)}},
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}))
        try:
            client.execute()
        except CellExecutionError as error:
            fail(path, f"expected every cell to run, got\n{error}")
    # The version of Python, as the kernel tells it, would be the only thing that differs.
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                fail(path, f"cell {cell.id}: expected no warning, got\n{output.text}")
    nbformat.validate(notebook)
    return notebook


def page(notebook, name):
    exporter = HTMLExporter(
        template_file="firstframe", extra_loaders=[DictLoader({"firstframe": CELLS})],
        exclude_anchor_links=True)
    body, _ = exporter.from_notebook_node(notebook)
    about = notebook.metadata["firstframe"]
    stamp = (f"FirstFrame · scenario {about['scenario']} · {about['kind']} {about['digest']} · "
             f"seed {about['seed']}")
    titles = [line[2:] for cell in notebook.cells if cell.cell_type == "markdown"
              for line in cell.source.splitlines() if line.startswith("# ")]
    title = html.escape(re.sub(r"[`\\]", "", titles[0]))
    colors = HtmlFormatter(style="default").get_style_defs(".highlight")
    stamp = html.escape(stamp)
    source = f"Executed from {html.escape(name)}, which renders the files it names."
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · FirstFrame</title>
<style>{STYLE}{colors}
</style>
</head>
<body>
<header>{stamp}</header>
<main>
{body.strip()}
</main>
<footer><p>{stamp}. {source}</p></footer>
</body>
</html>
"""


def check(path, text):
    for pattern in [r"(?:src|href|srcset|action|data)\s*=\s*[\"']?\s*(?:https?:)?//",
                    r"url\(\s*[\"']?\w+:", r"@import", r"<script", r"<link", r"<iframe"]:
        found = re.search(pattern, text)
        if found:
            near = text[found.start():found.start() + 80]
            fail(path, f"expected a page that loads nothing, got {near!r}")
    if len(text.encode()) > LIMIT:
        fail(path, f"expected at most {LIMIT} bytes, got {len(text.encode())}")


def main():
    if len(sys.argv) < 2:
        raise SystemExit("usage: notebooks.py NOTEBOOK...")
    for argument in sys.argv[1:]:
        path = Path(argument).resolve()
        notebook = execute(path)
        text = page(notebook, path.name)
        check(path, text)
        nbformat.write(notebook, path)
        target = path.with_suffix(".html")
        target.write_text(text, encoding="utf-8")
        print(f"notebooks: {argument}: {len(notebook.cells)} cells, {target.name} "
              f"{len(text.encode())} bytes")


main()
