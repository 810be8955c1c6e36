import { describe, expect, test } from "bun:test";
import { parseTemplate } from "../parse/parser.ts";
import { createRoots } from "../testing/create-roots.ts";
import type { TemplateRoots } from "./render-context.ts";
import { renderDeep } from "./render-deep.ts";
import { renderTemplate, renderText } from "./render-template.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function render(source: string, roots: Partial<TemplateRoots> = {}) {
  return renderTemplate(parseTemplate(source), createRoots(roots), { now });
}

function renderValue(source: string, roots: Partial<TemplateRoots> = {}) {
  return render(source, roots).value;
}

describe("a template that is one whole expression", () => {
  const Event = { list: [1, "two"], number: 5, flag: false, nothing: null, text: "1" };

  test.each([
    ["{{.Event.list}}", [1, "two"]],
    ["{{.Event.number}}", 5],
    ["{{- .Event.number -}}", 5],
    ["{{/* why */}}{{.Event.number}}", 5],
    ["{{.Event.flag}}", false],
    ["{{.Event.nothing}}", null],
    ["{{.Event.text}}", "1"],
    ["{{len .Event.list}}", 2],
    ["{{eq .Event.number 5}}", true],
    ["{{toJSON .Event.list}}", '[1,"two"]'],
    ["{{$.Event.list}}", [1, "two"]],
    ["{{9007199254740993}}", JSON.rawJSON("9007199254740993")],
  ])("%s keeps the type of its value", (source, value) => {
    expect(renderValue(source, { Event })).toEqual(value);
  });

  test.each([
    [" {{.Event.number}}", " 5"],
    ["{{.Event.number}}{{.Event.number}}", "55"],
    ["{{if true}}{{.Event.number}}{{end}}", "5"],
    ["{{$x := .Event.number}}{{$x}}", "5"],
    ["{{$x := .Event.number}}", ""],
    ["", ""],
    ["plain", "plain"],
  ])("%s is more than an expression and gives text", (source, value) => {
    expect(renderValue(source, { Event })).toBe(value);
  });

  test("is text if the field is always text", () => {
    const template = parseTemplate("{{.Event.number}}");
    expect(renderText(template, createRoots({ Event }), { now }).text).toBe("5");
  });
});

describe("what is missing", () => {
  test("prints <no value> and is a warning with its place", () => {
    expect(render("a\nb {{.Event.user.name}}", { Event: { user: {} } })).toEqual({
      value: "a\nb <no value>",
      warnings: ['Line 2, column 5: .Event.user.name is missing. It prints "<no value>".'],
    });
  });

  test("is null in a whole expression, with a warning", () => {
    expect(render("{{.Node.list.items}}")).toEqual({
      value: null,
      warnings: ["Line 1, column 3: .Node.list.items is missing. The value is null."],
    });
  });

  test("is no warning where it is tested", () => {
    const source = '{{if .Event.a}}x{{end}}{{.Event.b | default "y"}}{{or .Event.c "z"}}';
    expect(render(source)).toEqual({ value: "yz", warnings: [] });
  });

  test("gives each warning once, and at most 20 of them", () => {
    const source = `{{range 3}}{{$.Event.a}}{{end}}`;
    expect(render(source).warnings).toHaveLength(1);
    expect(render("{{.Event.a}}".repeat(30)).warnings).toHaveLength(20);
    const fields = Array.from({ length: 30 }, () => "{{.Event.a}}");
    expect(renderDeep(fields, createRoots(), { now }).warnings).toHaveLength(20);
  });

  test("includes inherited members", () => {
    const Event = { list: [1], ["__proto__"]: { own: 1 } };
    expect(renderValue("{{.Event.constructor}} {{.Event.toString}}", { Event })).toBe(
      "<no value> <no value>",
    );
    expect(renderValue('{{index .Event "__proto__"}}.', { Event: JSON.parse("{}") })).toBe(
      "<no value>.",
    );
  });
});

describe("control structures", () => {
  const Event = { list: ["a", "b", "c"], map: { z: 1, b: 2 }, n: 2, user: { name: "Ann" } };

  test.each([
    ["{{if eq .Event.n 1}}one{{else if eq .Event.n 2}}two{{else}}many{{end}}", "two"],
    ["{{range .Event.list}}{{.}},{{end}}", "a,b,c,"],
    ["{{range $i, $x := .Event.list}}{{$i}}={{$x}} {{end}}", "0=a 1=b 2=c "],
    ["{{range $k, $v := .Event.map}}{{$k}}={{$v}} {{end}}", "b=2 z=1 "],
    ["{{range .Event.none}}x{{else}}none{{end}}", "none"],
    ["{{with .Event.user}}{{.name}} of {{$.Event.n}}{{else}}nobody{{end}}", "Ann of 2"],
    ["{{$n := 0}}{{range .Event.list}}{{$n = len $.Event.list}}{{end}}{{$n}}", "3"],
    ["{{range .Event.list}}{{if eq . `b`}}{{break}}{{end}}{{.}}{{end}}", "a"],
    ["{{range .Event.list}}{{if eq . `b`}}{{continue}}{{end}}{{.}}{{end}}", "ac"],
    ["a  {{- .Event.n -}}  b", "a2b"],
    ['{{index .Event.map "z"}}-{{(index .Event.list 1)}}', "1-b"],
    ['{{index .Node "list"}}-', "[1]-"],
  ])("%s", (source, text) => {
    expect(renderValue(source, { Event, Node: { list: [1] } })).toBe(text);
  });

  test("output is not read as a template again", () => {
    const Event = { hostile: "{{.Secret.KEY}}" };
    expect(renderValue("{{.Event.hostile}}", { Event })).toBe("{{.Secret.KEY}}");
    expect(renderValue("x{{.Event.hostile}}", { Event })).toBe("x{{.Secret.KEY}}");
  });
});
