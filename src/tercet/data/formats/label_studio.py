"""Annotations of Label Studio, JSON and JSON-MIN, as rows of a table."""

from collections.abc import Mapping


def read_rows(tasks: object) -> list[dict[str, str]]:
    """Return a row per annotation: the task's data, and values by control; marked spans are errors, one row each."""
    rows: list[dict[str, str]] = []
    for task in tasks if isinstance(tasks, list) else []:
        if "annotations" not in task:  # JSON-MIN
            own = {name: value for name, value in _texts(task).items() if name != "id" or "segment" not in task}
            rows.append(own | {"annotator": _person(task.get("annotator"))})
            continue
        for annotation in task["annotations"]:
            if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
                continue
            row = {"segment": str(task.get("inner_id") or task.get("id", ""))} | _texts(task.get("data") or {})
            row["annotator"] = _person(annotation.get("completed_by"))
            spans = []
            for item in annotation.get("result") or []:
                value = item.get("value") or {}
                kind = item.get("type", "")
                found = value.get(kind, value.get("selected"))
                if "start" in value and isinstance(found, list):
                    spans.append({"severity": str(found[0]) if found else "", "span": str(value.get("text", ""))})
                elif found is not None:
                    row[str(item.get("from_name"))] = str(found[0] if isinstance(found, list) and found else found)
            rows += [row | span for span in spans] or [row]
    return rows


def _texts(data: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in data.items() if isinstance(value, str | int | float)}


def _person(value: object) -> str:
    return str(value.get("email") or value.get("id", "")) if isinstance(value, dict) else str(value or "")
