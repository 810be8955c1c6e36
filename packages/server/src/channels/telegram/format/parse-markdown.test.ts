import { expect, test } from "bun:test";
import { parseMarkdown } from "./parse-markdown.ts";
import { splitText } from "./split-text.ts";

/** The text with its styles in angle brackets, as they begin and end. */
function show(source: string): string {
  const { text, entities } = parseMarkdown(source);
  const marks = entities.flatMap((entity) => {
    const detail = "url" in entity ? ` ${entity.url}` : "";
    const language = entity.type === "pre" && entity.language ? ` ${entity.language}` : "";
    return [
      { at: entity.offset, order: -entity.length, mark: `<${entity.type}${detail}${language}>` },
      { at: entity.offset + entity.length, order: -1e6 + entity.length, mark: `</${entity.type}>` },
    ];
  });
  marks.sort((a, b) => b.at - a.at || b.order - a.order);
  return marks.reduce((shown, { at, mark }) => shown.slice(0, at) + mark + shown.slice(at), text);
}

const cases: Record<string, string> = {
  "plain & <b>not HTML</b>": "plain & <b>not HTML</b>",
  "a **bold** word": "a <bold>bold</bold> word",
  "__bold__ and *italic* and _italic_":
    "<bold>bold</bold> and <italic>italic</italic> and <italic>italic</italic>",
  "~~gone~~": "<strikethrough>gone</strikethrough>",
  "**bold *and italic* inside**": "<bold>bold <italic>and italic</italic> inside</bold>",
  "***both* bold**": "<bold><italic>both</italic> bold</bold>",
  "snake_case_name and 2 * 3 * 4": "snake_case_name and 2 * 3 * 4",
  "**open and *never closed": "**open and *never closed",
  "*a **b* c**": "<italic>a b c</italic>",
  "`code with *stars*`": "<code>code with *stars*</code>",
  "``a ` b``": "<code>a ` b</code>",
  "one ` backtick": "one ` backtick",
  "\\*not italic\\*": "*not italic*",
  "[the log](https://ci.example.com/42)":
    "<text_link https://ci.example.com/42>the log</text_link>",
  "[**bold** link](https://a.test)": "<text_link https://a.test><bold>bold</bold> link</text_link>",
  "[x](javascript:alert(1))": "[x](javascript:alert(1))",
  "[not] a (link)": "[not] a (link)",
  "# Heading *here*": "<bold>Heading <italic>here</italic></bold>",
  "- one\n* two\n  + three": "• one\n• two\n  • three",
  "> quoted\n> **twice**\nafter": "<blockquote>quoted\n<bold>twice</bold></blockquote>\nafter",
  "```ts\nconst a = `*b*`;\n```\nafter": "<pre ts>const a = `*b*`;</pre>\nafter",
  "```\nnever closed": "<pre>never closed</pre>",
  "😀 **bold**": "😀 <bold>bold</bold>",
  "[w](https://en.wikipedia.org/wiki/A_(b))":
    "<text_link https://en.wikipedia.org/wiki/A_(b)>w</text_link>",
  "**[PR 5](https://e.com/5) done**":
    "<bold><text_link https://e.com/5>PR 5</text_link> done</bold>",
  "**https://example.com/x/**": "<bold>https://example.com/x/</bold>",
  "<https://e.com/a> [](https://e.com/b)": "https://e.com/a https://e.com/b",
  '[a](tg://user?id=5 "Title")': "<text_link tg://user?id=5>a</text_link>",
  "**重要：**请看": "<bold>重要：</bold>请看",
  "````\n```\nx\n```\n````": "<pre>```\nx\n```</pre>",
  "```ts title=a\nx\n```": "<pre ts>x</pre>",
  "- [x] done\n1. one": "☑ done\n1. one",
  "> a\n> - b\n\nc": "<blockquote>a\n• b</blockquote>\n\nc",
  "": "",
};

for (const [source, shown] of Object.entries(cases)) {
  test(`Markdown ${JSON.stringify(source)} becomes text with styles`, () => {
    expect(show(source)).toBe(shown);
  });
}

test("A long text is cut after paragraphs, lines or words, and keeps its styles in each part", () => {
  const paragraph = `${"word ".repeat(500).trim()}\n\n`;
  const parts = splitText(parseMarkdown(`**${paragraph.trim()}**\n\n${paragraph}${paragraph}`));
  expect(parts.length).toBe(3);
  expect(parts.every(({ text }) => text.length <= 4_096 && text.trim().endsWith("word"))).toBe(
    true,
  );
  expect(parts[0]?.entities).toEqual([{ type: "bold", offset: 0, length: 2_499 }]);

  const [first, second] = splitText(parseMarkdown(`**${"x".repeat(5_000)}**`));
  expect(first?.entities).toEqual([{ type: "bold", offset: 0, length: 4_096 }]);
  expect(second?.entities).toEqual([{ type: "bold", offset: 0, length: 904 }]);
  const faces = splitText({ text: `x${"😀".repeat(3_000)}`, entities: [] });
  expect(faces.map(({ text }) => text.isWellFormed())).toEqual([true, true]);
});

test("A message has at most 100 links and styles, and the others are in the next ones", () => {
  const links = Array.from({ length: 250 }, (_, at) => `[l${at}](https://e.com/${at})`).join(" ");
  const formatted = parseMarkdown(links);
  expect(formatted.text.length).toBe(1_139);
  const parts = splitText(formatted);
  expect(parts.map(({ entities }) => entities.length)).toEqual([100, 100, 50]);
  expect(parts.map(({ text }) => text).join("")).toBe(formatted.text);
  for (const { text, entities } of parts) {
    for (const { offset, length } of entities) {
      expect(text.slice(offset, offset + length)).toMatch(/^l\d+$/);
    }
  }
});

test.each([
  ["bold text around 150 links", `**${"[a](https://e.com) ".repeat(150).trim()}**`],
  ["150 nested pairs", "***a*** ".repeat(150)],
  ["no spaces", "`a`~~b~~".repeat(150)],
  ["lines", "- **a**\n".repeat(350)],
  ["a long text", `**${"word ".repeat(1_000)}** ${"*a* ".repeat(400)}`],
  ["pairs of surrogates", "**😀**😀".repeat(120)],
])("The parts of a text with %s are whole, with at most 100 entities", (_, source) => {
  const formatted = parseMarkdown(source);
  const parts = splitText(formatted);
  expect(
    parts
      .map(({ text }) => text)
      .join("")
      .trim(),
  ).toBe(formatted.text.trim());
  for (const { text, entities } of parts) {
    expect(entities.length).toBeLessThanOrEqual(100);
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(text.isWellFormed()).toBe(true);
    expect(entities.every((one) => one.length > 0 && one.offset + one.length <= text.length)).toBe(
      true,
    );
  }
  const countChars = (entities: { length: number }[]) =>
    entities.reduce((sum, one) => sum + one.length, 0);
  expect(countChars(parts.flatMap(({ entities }) => entities))).toBe(
    countChars(formatted.entities),
  );
});

test("Texts that are built to hurt are read in linear time", () => {
  // Each step is counted by the size of the result: a slow one would not end before the time limit.
  for (const piece of [
    "*a ",
    "[",
    "](",
    "`",
    "**x",
    "_a_",
    "~~",
    "\\",
    "> ",
    "*a b~~",
    "![[(*_`",
  ]) {
    const source = piece.repeat(Math.ceil(50_000 / piece.length));
    expect(parseMarkdown(source).text.length).toBeLessThanOrEqual(source.length);
  }
  // `.` of a pattern stops at some characters that do not end a line here.
  for (const mark of ["#", "-"]) {
    const before = process.cpuUsage().user;
    expect(parseMarkdown(`${mark} ${" ".repeat(50_000)}x\u2028y`).text).toEndWith("x\u2028y");
    expect([mark, process.cpuUsage().user - before < 1_000_000]).toEqual([mark, true]);
  }
});

test("Splitting looks at each style a few times, however many parts there are", () => {
  let reads = 0;
  const toEntity = (_: unknown, at: number) => ({
    type: "code" as const,
    length: 1,
    get offset() {
      reads += 1;
      return at * 2;
    },
  });
  const entities = Array.from({ length: 5_000 }, toEntity);
  expect(splitText({ text: "a ".repeat(5_000), entities })).toHaveLength(50);
  expect(reads).toBeLessThan(5_000 * 40);
});

test("A style that reaches over several parts is in each of them, before those inside it", () => {
  const text = "a".repeat(9_000);
  const inner = Array.from({ length: 150 }, (_, at) => ({
    type: "code" as const,
    offset: at * 50,
    length: 10,
  }));
  const entities = [{ type: "bold" as const, offset: 0, length: 9_000 }, ...inner];
  const parts = splitText({ text, entities });
  expect(parts.map((part) => part.text).join("")).toBe(text);
  for (const part of parts) {
    expect(part.entities[0]).toEqual({ type: "bold", offset: 0, length: part.text.length });
  }
  expect(parts.flatMap((part) => part.entities).filter(({ type }) => type === "code").length).toBe(
    150,
  );
});
