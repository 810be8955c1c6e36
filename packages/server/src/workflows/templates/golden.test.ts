import { describe, expect, test } from "bun:test";
import { parseTemplate } from "./parse/parser.ts";
import { renderText } from "./render/render-template.ts";
import { TemplateError } from "./template-error.ts";
import { createRoots } from "./testing/create-roots.ts";
import data from "./testing/golden/data.json";
import vectors from "./testing/golden/vectors.json";

/** What the hub does differently, on purpose: the output, or null for an error. */
const differences: Record<string, { hub: string | null; why: string }> = {
  "{{.Event.list}}": { hub: '["a","b","c"]', why: "Lists print as JSON" },
  "{{.Event.user}}": {
    hub: '{"name":"Bob","age":42,"tags":["x","y"],"address":{"city":"Rome"}}',
    why: "Objects print as JSON",
  },
  "{{print .Event.numbers}}": { hub: "[3,1,2]", why: "Lists print as JSON" },
  '{{printf "%v" .Event.blank}}': { hub: "{}", why: "Objects print as JSON" },
  "{{toJSON .Event.headers}}": {
    hub: '{"x-event":"push","accept":"*/*"}',
    why: "JSON keeps the order of keys",
  },
  "{{1.5e-7}}": { hub: "1.5e-7", why: "Numbers print as in JSON" },
  "{{1234567.5}}": { hub: "1234567.5", why: "Numbers print as in JSON" },
  "{{1e6}}": { hub: "1000000", why: "Numbers print as in JSON" },
  "{{eq .Event.one 1.0}}": { hub: "true", why: "JSON has one kind of number" },
  "{{lt .Event.one 1.5}}": { hub: "true", why: "JSON has one kind of number" },
  '{{printf "%d" 5.0}}': { hub: "5", why: "JSON has one kind of number" },
  '{{printf "%.2f" .Event.two}}': { hub: "2.00", why: "JSON has one kind of number" },
  "{{len .Event.accents}}": { hub: "10", why: "Text is counted in characters" },
  "{{slice .Event.accents 0 4}}": { hub: "café", why: "Text is counted in characters" },
  "{{index .Event.accents 3}}": { hub: "233", why: "Text is counted in characters" },
  '{{upper "ß"}}': { hub: "SS", why: "Unicode has longer upper-case forms" },
  "{{.Event.nothing.x}}": { hub: "<no value>", why: "A field of null is missing" },
  "{{with .Event.user}}{{$.Event.nothing.x.y}}{{end}}": {
    hub: "<no value>",
    why: "A field of null is missing",
  },
  "{{upper .Event.one}}": { hub: "1", why: "Text functions take numbers" },
  '{{replace "" "-" "ab"}}': { hub: null, why: "Nothing cannot be replaced" },
  "{{1|}}": { hub: null, why: "A | without a function is a mistake" },
  "{{.}}": { hub: null, why: "The data is read by names" },
  "{{$}}": { hub: null, why: "The data is read by names" },
  "{{.Node}}": { hub: null, why: "Nodes are read by names" },
  "{{.Unknown}}": { hub: null, why: "The names of the data are known" },
  "{{$ = 1}}": { hub: null, why: "The data cannot be set" },
  "{{println 1}}": { hub: null, why: "Not in the subset" },
  '{{define "x"}}{{end}}': { hub: null, why: "Not in the subset" },
  '{{block "x" .}}{{end}}': { hub: null, why: "Not in the subset" },
  "{{1i}}": { hub: null, why: "Not in the subset" },
  "{{0x1p4}}": { hub: null, why: "Not in the subset" },
};

/** The output of the hub; null for a TemplateError. */
function render(source: string): string | null {
  try {
    return renderText(parseTemplate(source), createRoots(data), { now: 0 }).text;
  } catch (thrown) {
    if (thrown instanceof TemplateError) return null;
    throw thrown;
  }
}

describe("golden vectors of Go's text/template", () => {
  test("are at least 300", () => {
    expect(vectors.length).toBeGreaterThanOrEqual(300);
  });

  test("have the same output, or an error where Go has one", () => {
    const wrong = vectors
      .filter(({ template }) => !Object.hasOwn(differences, template))
      .map(({ template, output }) => ({ template, go: output ?? null, hub: render(template) }))
      .filter(({ go, hub }) => go !== hub);
    expect(wrong).toEqual([]);
  });

  test("differ only where it is intended", () => {
    for (const [template, { hub }] of Object.entries(differences)) {
      const vector = vectors.find((one) => one.template === template);
      expect(vector).toBeDefined();
      expect({ template, hub: render(template) }).toEqual({ template, hub });
      expect(vector?.output ?? null).not.toBe(hub);
    }
  });
});
