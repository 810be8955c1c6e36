import { describe, expect, spyOn, test } from "bun:test";
import { parseTemplate } from "./parse/parser.ts";
import { createBudget } from "./render/render-context.ts";
import { renderDeep } from "./render/render-deep.ts";
import { renderTemplate, renderText } from "./render/render-template.ts";
import { TemplateError } from "./template-error.ts";
import { outputBytesMax } from "./template-limits.ts";
import { createRoots } from "./testing/create-roots.ts";

const long = "x".repeat(1024 * 1024);

function render(source: string, Event: unknown = {}): unknown {
  return renderTemplate(parseTemplate(source), createRoots({ Event }), { now: 0 }).value;
}

function findCode(source: string, Event: unknown = {}): string | null {
  try {
    render(source, Event);
    return null;
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown.code;
    throw thrown;
  }
}

/** A value with lists in lists. */
function nest(depth: number): unknown {
  let value: unknown = [];
  for (let at = 0; at < depth; at += 1) value = [value];
  return value;
}

describe("rendering stops at its limits", () => {
  test.each([
    ["a loop without an end", "{{range 1000000000000000}}{{end}}"],
    ["loops in loops", "{{range 9999}}{{range 9999}}{{range 9999}}{{end}}{{end}}{{end}}"],
    ["a loop that prints", "{{range 1000000}}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{{end}}"],
    ["a text that doubles", '{{$x := "ab"}}{{range 100}}{{$x = print $x $x}}{{end}}'],
    [
      "a text that doubles by printf",
      '{{$x := "ab"}}{{range 100}}{{$x = printf "%s%s" $x $x}}{{end}}',
    ],
    ["JSON in JSON", '{{$x := "\\\\"}}{{range 100}}{{$x = toJSON $x}}{{end}}'],
    ["escapes of escapes", '{{$x := "\\\\"}}{{range 100}}{{$x = jsonEscape $x}}{{end}}'],
    ["widths", '{{range 100000}}{{$x := printf "%1000000d" 1}}{{end}}'],
    ["several widths", '{{printf "%1000000d%1000000d" 1 1}}'],
    ["a width of an argument", '{{printf "%*d%*d" 1000000 1 1000000 1}}'],
    ["a precision", '{{printf "%.1000000f%.1000000f" 1.5 1.5}}'],
    ["a replacement", '{{$x := printf "%1000d" 1}}{{replace " " (printf "%2000d" 1) $x}}'],
    ["a separator", '{{join (printf "%1000000d" 1) (split "" "abc")}}'],
  ])("for %s", (_what, source) => {
    expect(findCode(source)).toBe("template_limit");
  });

  test.each([
    ["work on a long text in a loop", "{{range 10000}}{{$x := upper $.Event.long}}{{end}}"],
    ["counts of a long text in a loop", "{{range 10000}}{{$x := len $.Event.long}}{{end}}"],
    [
      "comparisons with what begins as a token",
      '{{range 10000}}{{$x := eq $.Event.marked "a"}}{{end}}',
    ],
    ["ne of what begins as a token", '{{range 10000}}{{$x := ne $.Event.marked "a"}}{{end}}'],
    [
      "the order of what begins as a token",
      '{{range 10000}}{{$x := lt $.Event.marked "a"}}{{end}}',
    ],
    ["le of what begins as a token", '{{range 10000}}{{$x := le $.Event.marked "a"}}{{end}}'],
    ["gt of what begins as a token", '{{range 10000}}{{$x := gt "a" $.Event.marked}}{{end}}'],
    ["ge of what begins as a token", '{{range 10000}}{{$x := ge "a" $.Event.marked}}{{end}}'],
    ["len of what begins as a token", "{{range 10000}}{{$x := len $.Event.marked}}{{end}}"],
    ["index of what begins as a token", "{{range 10000}}{{$x := index $.Event.marked 1}}{{end}}"],
    ["slice of what begins as a token", "{{range 10000}}{{$x := slice $.Event.marked 1 2}}{{end}}"],
    [
      "printf of what begins as a token",
      '{{range 10000}}{{$x := printf "%.1s" $.Event.marked}}{{end}}',
    ],
    ["truth of a long number", "{{range 10000}}{{if $.Event.digits}}{{end}}{{end}}"],
    ["comparisons with a long number", "{{range 10000}}{{$x := lt $.Event.digits 1}}{{end}}"],
    ["a format with many open brackets", "{{$x := printf .Event.openBrackets}}"],
    [
      "a replacement of a long text",
      '{{range 10000}}{{$x := replace $.Event.part "" $.Event.long}}{{end}}',
    ],
    ["a long separator", "{{range 10000}}{{$x := split $.Event.part $.Event.long}}{{end}}"],
    ["truth of a large object in a loop", "{{range 1000000}}{{if $.Event.map}}{{end}}{{end}}"],
    ["items of a long text", '{{split "" .Event.long}}'],
    ["items of a long text by a separator", '{{split "x" .Event.long}}'],
    ["a long text printed twice", "{{.Event.long}}{{.Event.long}}"],
    ["long texts as JSON", "{{toJSON .Event}}"],
    ["escapes that lengthen a text", "{{js .Event.marks}}"],
    ["escapes of URLs that lengthen a text", "{{urlquery .Event.marks}}"],
    ["a long text as base64", "{{base64 .Event.long}}"],
    ["a deep value as JSON", "{{toJSON .Event.deep}}"],
    ["deep JSON", "{{fromJSON .Event.brackets}}"],
  ])("for %s", (_what, source) => {
    const map = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
    const Event = {
      long,
      map,
      marks: "<".repeat(400_000),
      deep: nest(300),
      brackets: "[".repeat(300),
      marked: "hub_enc_".repeat(10_000),
      digits: JSON.rawJSON("1".repeat(80_000)),
      openBrackets: "%[".repeat(20_000),
      part: `b${"x".repeat(100_000)}`,
    };
    expect(findCode(source, Event)).toBe("template_limit");
  });

  test("with an output of at most 1 MiB of UTF-8", () => {
    const text = "é".repeat(outputBytesMax / 2);
    expect(String(render("{{.Event}} ", text.slice(1))).length).toBe(outputBytesMax / 2);
    expect(findCode("{{.Event}} ", text)).toBe("template_limit");
  });

  test("that the fields of one value share", () => {
    const fields = Array.from({ length: 3 }, () => "{{.Event}} ");
    const roots = createRoots({ Event: "x".repeat(400_000) });
    expect(() => renderDeep(fields, roots, { now: 0 })).toThrow("1 MiB");
    expect(() => renderDeep(fields.slice(1), roots, { now: 0 })).not.toThrow();
  });

  test("and searches long texts without the engine, which is slow for repetitive ones", () => {
    const Event = { text: "a".repeat(2000), part: `${"a".repeat(500)}b${"a".repeat(400)}` };
    const spies = (["indexOf", "includes", "split", "replaceAll"] as const).map((name) =>
      spyOn(String.prototype, name),
    );
    try {
      expect(render('{{replace .Event.part "" .Event.text}}', Event)).toBe(Event.text);
      expect(render("{{split .Event.part .Event.text}}", Event)).toEqual([Event.text]);
      const given = spies.flatMap(({ mock }) =>
        mock.calls.map(([wanted]) => String(wanted).length),
      );
      expect(Math.max(...given)).toBeLessThan(100);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test("that templates with one budget share", () => {
    const budget = createBudget();
    const template = parseTemplate("{{range 60000}}{{end}}");
    const renderOnce = () => renderText(template, createRoots(), { now: 0, budget });
    expect(() => Array.from({ length: 10 }, renderOnce)).toThrow("takes too long");
  });
});

describe("a template has limits", () => {
  test("of 64 KiB of source", () => {
    expect(findCode(" ".repeat(64 * 1024))).toBe(null);
    expect(findCode(" ".repeat(64 * 1024 + 1))).toBe("template_invalid");
  });

  test("of nesting, in actions and in parentheses", () => {
    const nestActions = (depth: number) => "{{if 1}}".repeat(depth) + "{{end}}".repeat(depth);
    const nestGroups = (depth: number) => `{{${"(".repeat(depth)}1${")".repeat(depth)}}}`;
    for (const write of [nestActions, nestGroups]) {
      expect(findCode(write(64))).toBe(null);
      expect(findCode(write(65))).toBe("template_invalid");
      expect(findCode(write(4000))).toBe("template_invalid");
    }
  });

  test("but not of branches, commands, arguments and actions one after another", () => {
    expect(render(`{{if 0}}{{else if 0}}${"{{else if 0}}".repeat(4000)}{{else}}a{{end}}`)).toBe(
      "a",
    );
    expect(render(`{{"a"${" | print".repeat(7000)}}}`)).toBe("a");
    expect(render(`{{print${' "a"'.repeat(12_000)}}}`)).toBe("a".repeat(12_000));
    expect(render("{{1}}".repeat(13_000))).toBe("1".repeat(13_000));
    expect(render(`{{.Event${".a".repeat(30_000)}}}`)).toBe(null);
    expect(render("{{$x := 1}}".repeat(5000))).toBe("");
  });

  test("of the length of what its errors say", () => {
    for (const source of [`{{${"f".repeat(60_000)}}}`, `{{.${"f".repeat(60_000)}}}`]) {
      try {
        render(source);
        throw new Error("no error");
      } catch (thrown) {
        expect(String(thrown).length).toBeLessThan(1000);
      }
    }
  });
});
