import { describe, expect, test } from "bun:test";
import { parseTemplate } from "./parse/parser.ts";
import { renderTemplate } from "./render/render-template.ts";
import { TemplateError } from "./template-error.ts";
import { createRoots } from "./testing/create-roots.ts";

const Event = { name: "Ann", list: ["a"], user: { age: 3 }, nothing: null };

function findError(source: string): TemplateError {
  try {
    renderTemplate(parseTemplate(source), createRoots({ Event }), { now: 0 });
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown;
    throw thrown;
  }
  throw new Error("no error");
}

describe("an error of a template", () => {
  test("names its place in the source, in characters", () => {
    const error = findError("one\n😀 {{.Event.name}} {{nope}}");
    expect(error).toMatchObject({ code: "template_invalid", line: 2, column: 21, offset: 25 });
  });

  test.each([
    [
      "{{uper .Event.name}}",
      'Line 1, column 3: There is no function "uper". Did you mean "upper"?',
    ],
    [
      "{{tojson .Event}}",
      'Line 1, column 3: There is no function "tojson". Did you mean "toJSON"?',
    ],
    ["{{.event.name}}", 'Line 1, column 3: There is no ".event". Did you mean ".Event"?'],
    ["{{.Nodes.a}}", 'Line 1, column 3: There is no ".Nodes". Did you mean ".Node"?'],
    ["{{Event.name}}", 'Line 1, column 3: There is no function "Event". Did you mean ".Event"?'],
    [
      "{{$total := 1}}{{$totl}}",
      'Line 1, column 18: The variable "$totl" is not declared here. Did you mean "$total"?',
    ],
    [
      "{{.Event.x-y}}",
      'Line 1, column 11: "-" cannot follow ".x". For a name with other characters use index: {{index .Event "a-b"}}.',
    ],
    ["{{if .Event}}a", 'Line 1, column 1: "if" has no {{end}}. Add it.'],
    ["a{{end}}", 'Line 1, column 4: "end" has no if, range or with before it.'],
    ["{{.Event.name", 'Line 1, column 1: The action is not closed. Add "}}".'],
    ['{{print "a}}', 'Line 1, column 9: The quoted text is not closed in its line. Add ".'],
    ["{{(1}}", 'Line 1, column 5: A "(" is not closed. Add ")".'],
    ['{{template "x"}}', 'Line 1, column 3: "template" is not available here.'],
    ["{{upper}}", 'Line 1, column 3: "upper" needs 1 value and has 0.'],
    ["{{replace 1 2}}", 'Line 1, column 3: "replace" needs 3 values and has 2.'],
    ["{{slice}}", 'Line 1, column 3: "slice" needs 1 to 4 values and has 0.'],
    [
      "{{upper .Event.none}}",
      'Line 1, column 3: "upper" needs text, and this is a missing value. Give it a value with default: (default "" VALUE).',
    ],
    [
      "{{upper .Event.list}}",
      'Line 1, column 3: "upper" needs text, and this is a list. Write it as text with toJSON.',
    ],
    [
      "{{.Event.list.name}}",
      'Line 1, column 3: ".name" is read of a list, which has no fields. Read one item, such as (index LIST 0).name, or use range.',
    ],
    [
      "{{.Event.name.first}}",
      'Line 1, column 3: ".first" is read of text, which has no fields. If it is JSON, read it with fromJSON.',
    ],
    [
      "{{index .Event.list 1}}",
      'Line 1, column 3: "index" has no item 1: there are 1, counted from 0.',
    ],
    ['{{eq .Event.user.age "3"}}', 'Line 1, column 3: "eq" cannot compare a number with text.'],
    ["{{range .Event.name}}{{end}}", 'Line 1, column 9: "range" needs a list, and this is text.'],
    [
      '{{date "15:04" "Europe/Nowhere" 0}}',
      'Line 1, column 3: "Europe/Nowhere" is not a time zone. Use a name such as "Europe/Berlin".',
    ],
    [
      '{{time "tomorrow"}}',
      'Line 1, column 3: "time" cannot read the time. Use ISO 8601, such as "2026-01-31T09:30:00Z", or Unix seconds.',
    ],
    [
      '{{time "2026-01-31T09:30:00"}}',
      'Line 1, column 3: The time of "time" has no offset. Add "Z" for UTC, or one such as "+02:00".',
    ],
    ['{{fromJSON "{a"}}', 'Line 1, column 3: "fromJSON" gets text that is not JSON.'],
    [
      "{{len .Secret.KEY}}",
      'Line 1, column 3: The secret "KEY" can only be printed unchanged, because the hub inserts it when the request leaves. Write {{.Secret.KEY}} alone, or basicAuth.',
    ],
  ])("of %s says what to do", (source, message) => {
    expect(findError(source).message).toBe(message);
  });
});
