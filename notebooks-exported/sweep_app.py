"""An app for marimo: a sweep over one key, its table and its front.

marimo run sweep_app.py, with the wheel of firstframe, or FIRSTFRAME_PROGRAM, and my-feed.yaml of
`firstframe init my-feed`; marimo edit sweep_app.py shows the lines.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="A sweep of FirstFrame")


@app.cell
def _():
    import firstframe
    import marimo as mo

    return firstframe, mo


@app.cell
def _(mo):
    scenario = mo.ui.text("my-feed.yaml", label="scenario")
    key = mo.ui.text("policy.pool.size", label="key")
    values = mo.ui.text("[1, 2, 3]", label="values")
    mo.vstack([scenario, key, values])
    return key, scenario, values


@app.cell
def _(firstframe, key, scenario, values):
    import json

    study = firstframe.Study(scenario.value).short()
    varied = study.vary(key.value, json.loads(values.value))
    sweep = varied.front("ttff_ms.mean", "wasted_ratio").run()
    return (sweep,)


@app.cell
def _(mo, sweep):
    mo.vstack([sweep.plot.front(), mo.ui.table(sweep.points.rows())])
    return


if __name__ == "__main__":
    app.run()
