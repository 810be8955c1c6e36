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
  "*a **b* c**": "<italic>a **b</italic> c**",
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
