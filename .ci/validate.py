"""Reads the files of a gate or a sweep in the current folder with programs that are not ours.

Usage: validate.py gate pass|regression|failure
       validate.py sweep
"""

import glob
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

import jsonschema
import junitparser
from prometheus_client.openmetrics.parser import text_string_to_metric_families

# The Jenkins xUnit plugin's schema junit-10 as rules: by element its attributes (True: required)
# and its children.
JUNIT = {
    "testsuites": (
        {"name": False, "time": False, "tests": False, "failures": False, "errors": False},
        {"testsuite"},
    ),
    "testsuite": (
        {"name": True, "tests": True, "failures": True, "errors": True, "group": False,
         "time": False, "skipped": False, "timestamp": False, "hostname": False, "id": False,
         "package": False, "file": False, "log": False, "url": False},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "properties": ({}, {"property"}),
    "property": ({"name": True, "value": True}, set()),
    "testcase": (
        {"name": True, "time": False, "classname": False, "group": False},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "skipped": ({"type": False, "message": False}, set()),
    "error": ({"type": False, "message": False}, set()),
    "failure": ({"type": False, "message": False}, set()),
    "system-out": ({}, set()),
    "system-err": ({}, set()),
}  # fmt: skip

NUMBER = {"type": ["number", "null"]}
ESTIMATE = {
    "type": "object", "required": ["value", "lower", "upper"],
    "properties": {name: {"type": "number"} for name in ("value", "lower", "upper")},
}  # fmt: skip
METRIC = {
    "type": "object",
    "required": ["metric", "value", "lower", "upper", "samples", "replications", "isLowerBound"],
    "properties": {
        "metric": {"type": "string"}, "value": NUMBER, "lower": NUMBER, "upper": NUMBER,
        "samples": {"type": "integer", "minimum": 0},
        "replications": {"type": "integer", "minimum": 0}, "isLowerBound": {"type": "boolean"},
    },
}  # fmt: skip
OUTCOMES = ["worse", "better", "equivalent", "not-sure", "no-data"]
CHANGE_NUMBERS = (
    "baseline", "candidate", "difference", "lower", "upper", "relativeChange",
    "smallestDetectable", "leastThatMatters", "varianceReduction",
)  # fmt: skip
CHANGE = {
    "type": "object", "additionalProperties": False,
    "required": ["metric", "replications", "replicationsNeeded", "outcome", *CHANGE_NUMBERS],
    "properties": {
        **{name: NUMBER for name in CHANGE_NUMBERS},
        "metric": {"type": "string"}, "replications": {"type": "integer", "minimum": 0},
        "replicationsNeeded": {"type": ["integer", "null"]}, "outcome": {"enum": OUTCOMES},
    },
}  # fmt: skip


def need(condition, message):
    if not condition:
        sys.exit(f"validate: error: {message}")


def check_junit(path):
    def visit(element):
        need(element.tag in JUNIT, f"{path}: {element.tag} is not an element of JUnit")
        attributes, children = JUNIT[element.tag]
        for name in element.attrib:
            need(name in attributes, f"{path}: {element.tag} has no attribute {name}")
        for name, required in attributes.items():
            need(not required or name in element.attrib, f"{path}: {element.tag} needs {name}")
        for child in element:
            need(child.tag in children, f"{path}: {child.tag} cannot stand in {element.tag}")
            visit(child)

    root = ElementTree.parse(path).getroot()
    need(root.tag == "testsuites", f"{path}: expected testsuites, got {root.tag}")
    visit(root)
    if os.environ.get("JENKINS_JUNIT_XSD"):
        import xmlschema

        xmlschema.XMLSchema(os.environ["JENKINS_JUNIT_XSD"]).validate(path)
    suites = list(junitparser.JUnitXml.fromfile(path))
    need(len(suites) == 1, f"{path}: expected one suite, got {len(suites)}")
    cases = list(suites[0])
    kinds = [type(result).__name__ for case in cases for result in case.result]
    need(suites[0].tests == len(cases), f"{path}: tests is not the number of cases")
    for kind, count in (("Failure", suites[0].failures), ("Error", suites[0].errors),
                        ("Skipped", suites[0].skipped)):  # fmt: skip
        need(kinds.count(kind) == count, f"{path}: the count of {kind} is wrong")
    return cases, kinds


def check_openmetrics(path):
    with open(path, encoding="utf-8") as file:
        families = list(text_string_to_metric_families(file.read()))
    verdicts = [sample for family in families if family.name == "firstframe_verdict"
                for sample in family.samples]  # fmt: skip
    need(verdicts, f"{path}: no verdict")
    return families, verdicts


def check_gate(outcome):
    with open("result.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    with open("scenario.schema.json", encoding="utf-8") as file:
        jsonschema.Draft202012Validator.check_schema(json.load(file))
    results = glob.glob("results/*/result.json")
    need(len(results) == 1, f"expected one result.json, got {results}")
    with open(results[0], encoding="utf-8") as file:
        result = json.load(file)
    jsonschema.validate(result, schema, cls=jsonschema.Draft202012Validator)
    cases, kinds = check_junit("junit.xml")
    families, verdicts = check_openmetrics("metrics.txt")
    check_openmetrics("gitlab-metrics.txt")
    need(len(verdicts) == len(cases), "JUnit and OpenMetrics have different cases")
    names = [case.name for case in cases]
    need(len(set(names)) == len(names), "two cases of JUnit have one name")
    for network in ("wifi-good", "3g"):
        need(any(f"network={network}" in name for name in names), f"no case for {network}")
    if outcome == "pass":
        need(not {"Failure", "Error"} & set(kinds), f"a pass with {kinds}")
    elif outcome == "regression":
        need("Failure" in kinds and "Error" not in kinds, f"a regression with {kinds}")
        text = "".join(result.text or "" for case in cases for result in case.result)
        need("policy.pool.size" in text, "the cause is not named")
    else:
        need("Failure" in kinds and "Error" in kinds, f"a failure with {kinds}")
    need("Skipped" in kinds, "a missed soft budget is not skipped")
    samples = sum(len(family.samples) for family in families)
    print(f"validate: gate, {outcome}: {len(cases)} cases, {samples} samples")


def check_sweep():
    with open("sweep.json", encoding="utf-8") as file:
        sweep = json.load(file)
    texts = {"type": "array", "items": {"type": "string"}}
    point = {
        "type": "object", "required": ["values", "metrics", "reference", "changes"],
        "additionalProperties": False,
        "properties": {
            "values": {"type": "array", "items": {"type": ["string", "null"]}},
            "metrics": {"type": "array", "minItems": 1, "items": METRIC},
            "reference": {"type": "integer", "minimum": 0},
            "changes": {"type": "array", "items": CHANGE},
            "front": {"type": "string"},
        },
    }
    effect = {
        "type": "object", "required": ["metric", "factors"], "additionalProperties": False,
        "properties": {"metric": {"type": "string"}, "factors": {"type": ["array", "string"]}},
    }
    members = {
        "schema": {"const": 1}, "kind": {"const": "sweep"}, "scenario": {"type": "string"},
        "seed": {"type": "integer"}, "replications": {"type": "integer", "minimum": 2},
        "factors": texts, "points": {"type": "array", "minItems": 1, "items": point},
        "effects": {"type": "array", "items": effect}, "front": texts,
        "frontPoints": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    }  # fmt: skip
    schema = {
        "type": "object", "required": list(members), "properties": members,
        "additionalProperties": False,
    }  # fmt: skip
    jsonschema.validate(sweep, schema, cls=jsonschema.Draft202012Validator)
    for point in sweep["points"]:
        need(point["reference"] < len(sweep["points"]), "a point is compared with none there is")
    estimates, stack = 0, [effect["factors"] for effect in sweep["effects"]]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if "lower" in value:
                jsonschema.validate(value, ESTIMATE)
                estimates += 1
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    print(f"validate: sweep: {len(sweep['points'])} points, {estimates} effects")


if sys.argv[1] == "gate":
    check_gate(sys.argv[2])
else:
    check_sweep()
