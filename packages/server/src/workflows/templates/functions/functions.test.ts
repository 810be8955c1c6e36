import { describe, expect, test } from "bun:test";
import { parseTemplate } from "../parse/parser.ts";
import { renderTemplate } from "../render/render-template.ts";
import { TemplateError } from "../template-error.ts";
import { createRoots } from "../testing/create-roots.ts";

function render(source: string, Event: unknown = {}): unknown {
  return renderTemplate(parseTemplate(source), createRoots({ Event }), { now: 0 }).value;
}

describe("times", () => {
  test.each([
    ["2026-03-07T09:05:03Z", "2026-03-07T09:05:03.000Z"],
    ["2026-03-07T09:05:03.0425Z", "2026-03-07T09:05:03.042Z"],
    ["2026-03-07t09:05z", "2026-03-07T09:05:00.000Z"],
    ["2026-03-07T09:05:03+02:30", "2026-03-07T06:35:03.000Z"],
    ["2026-03-07 09:05:03-0700", "2026-03-07T16:05:03.000Z"],
    ["2026-03-07", "2026-03-07T00:00:00.000Z"],
    ["1772874303.5", "2026-03-07T09:05:03.500Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("are read from %s", (text, time) => {
    expect(render("{{time .Event}}", text)).toBe(time);
  });

  test.each([
    ["2026-02-30"],
    ["2026-02-29T00:00:00Z"],
    ["2026-13-01"],
    ["2026-03-07T24:05:03Z"],
    ["2026-03-07T09:05:03"],
    ["tomorrow"],
    [""],
    [null],
    [1e300],
    ["9999-12-31T23:59:59-01:00"],
  ])("are not read from %p", (value) => {
    expect(() => render("{{time .Event}}", value)).toThrow(TemplateError);
  });

  test.each([
    ["90m", "1970-01-01T01:30:00.000Z"],
    ["-1h30m", "1969-12-31T22:30:00.000Z"],
    ["7d", "1970-01-08T00:00:00.000Z"],
    ["+1.5s250ms", "1970-01-01T00:00:01.750Z"],
  ])("are moved by %s", (duration, time) => {
    expect(render("{{now | time .Event}}", duration)).toBe(time);
  });

  test("have the offset that their zone has at that time", () => {
    const source = '{{date "15:04 -07:00" "Europe/Berlin" .Event}}';
    expect(render(source, "2026-01-01T12:00:00Z")).toBe("13:00 +01:00");
    expect(render(source, "2026-07-01T12:00:00Z")).toBe("14:00 +02:00");
  });
});

describe("numbers that JavaScript cannot represent", () => {
  const Event = {
    even: JSON.rawJSON("9007199254740992"),
    odd: JSON.rawJSON("9007199254740993"),
    fraction: JSON.rawJSON("0.10000000000000000001"),
  };

  test.each([
    ["{{eq .Event.odd .Event.even}}", false],
    ["{{eq .Event.odd 9007199254740993}}", true],
    ["{{gt .Event.odd .Event.even}}", true],
    ["{{lt .Event.fraction 1}}", true],
    ["{{.Event.odd}} {{.Event.fraction}}", "9007199254740993 0.10000000000000000001"],
    ["{{toJSON .Event.odd}}", "9007199254740993"],
    ['{{printf "%d %x" .Event.odd .Event.odd}}', "9007199254740993 20000000000001"],
    ['{{fromJSON "[9007199254740993]" | toJSON}}', "[9007199254740993]"],
  ])("are read exactly by %s", (source, value) => {
    expect(render(source, Event)).toBe(value);
  });
});

describe("text", () => {
  test("with half a surrogate pair is escaped as the replacement character", () => {
    expect(render("{{urlquery .Event}}", "a\ud800")).toBe("a%EF%BF%BD");
    expect(render("{{js .Event}}", "\udc00b")).toBe("\ufffdb");
  });

  test("keeps its pairs where it is escaped in pieces", () => {
    const text = `${"x".repeat(16 * 1024 - 1)}😀`.repeat(3);
    expect(render("{{js .Event}}", text)).toBe(text);
    expect(render("{{urlquery .Event}}", text)).toBe(encodeURIComponent(text));
  });

  test("that a replacement would make longer than 1 MiB is not made", () => {
    const long = "x".repeat(1024 * 1024);
    expect(() => render('{{replace "x" .Event .Event}}', long)).toThrow("longer than 1 MiB");
  });
});

test("keys are in the order of their code points", () => {
  expect(render("{{keys .Event}}", { "😀": 1, "\uffff": 2, b: 3, a: 4 })).toEqual([
    "a",
    "b",
    "\uffff",
    "😀",
  ]);
});
