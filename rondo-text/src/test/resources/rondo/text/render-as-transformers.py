"""Renders JSON lines {"template", "variables"} with jinja2, set up as transformers does; answers a JSON line each."""
import json
import sys

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


environment = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception

for line in sys.stdin:
    row = json.loads(line)
    try:
        answer = {"ok": True, "text": environment.from_string(row["template"]).render(**row["variables"])}
    except Exception as e:
        answer = {"ok": False, "text": type(e).__name__ + ": " + str(e)}
    print(json.dumps(answer), flush=True)
