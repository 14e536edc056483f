"""The JSON Schema of a load-model file, made of the same keys that the reader takes."""

import json

from breakstep.plan.file_keys import FILE

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text() -> str:
    """The schema as JSON, draft 2020-12.

    It knows the shape of every value and no more: whether words go together is said by the reader.
    """
    head = {"$schema": DIALECT, "title": "breakstep load-model file"}
    return json.dumps({**head, **FILE.schema()}, indent=2, ensure_ascii=False) + "\n"
