import { describe, expect, test } from "bun:test";
import { escapeText, formatText, readText } from "./format-text.ts";

const markdown = (text: string, mentions = false) =>
  formatText(text, { format: "markdown", mentions }).text;

describe("Markdown becomes Slack's syntax", () => {
  const cases: Record<string, string> = {
    "**bold** and __bold__": "*bold* and *bold*",
    "*italic* and _italic_": "_italic_ and _italic_",
    "~~gone~~": "~gone~",
    "`a < b`": "`a &lt; b`",
    "# Title #": "*Title*",
    "### A **b** c": "*A b c*",
    "- one\n* two\n  + three": "• one\n• two\n  • three",
    "- [ ] open\n- [x] done": "☐ open\n☑ done",
    "1. one\n2. two": "1. one\n2. two",
    "> quoted <b>": "> quoted &lt;b&gt;",
    "[a|b](https://x.example/?a=1&b=2)": "<https://x.example/?a=1&amp;b=2|a¦b>",
    "![logo](https://x.example/l.png)": "<https://x.example/l.png|logo>",
    "[x](javascript:alert(1))": "[x](javascript:alert(1))",
    "[x](https://a.example/|>y)": "<https://a.example/%7C%3Ey|x>",
    "snake_case_name and 2*3*4": "snake_case_name and 2_3_4",
    "a * b * c": "a * b * c",
    "\\*plain\\*": "*plain*",
    "```ts\nconst a = 1 && **b**;\n```": "```\nconst a = 1 &amp;&amp; **b**;\n```",
    "```\nopen": "```\nopen\n```",
    "---": "──────────",
    "<!channel> & <@U1>": "&lt;!channel&gt; &amp; &lt;@U1&gt;",
    "[w](https://en.wikipedia.org/wiki/A_(b))": "<https://en.wikipedia.org/wiki/A_(b)|w>",
    "**[PR 5](https://e.com/5)** done": "*<https://e.com/5|PR 5>* done",
    "**https://example.com/x/**": "*<https://example.com/x/>*",
    "__https://e.com/a_b__ ~~https://e.com/c~~": "*<https://e.com/a_b>* ~<https://e.com/c>~",
    '[a](https://e.com "Title")': "<https://e.com|a>",
    "[a](<https://e.com/x y>)": "<https://e.com/x%20y|a>",
    "<https://e.com/a?b=1&c=2>": "<https://e.com/a?b=1&amp;c=2>",
    "(see https://e.com/a_b_c.)": "(see <https://e.com/a_b_c>.)",
    "[a][1] b\n\n[1]: https://e.com": "<https://e.com|a> b",
    "[](https://e.com) and [a]()": "<https://e.com> and a",
    "[![x](https://e.com/i.png)](https://e.com)": "<https://e.com|x>",
    "[**b** `c`](https://e.com)": "<https://e.com|b c>",
    "**bold *and italic* ~~gone~~**": "*bold _and italic_ ~gone~*",
    "**a **b** c**": "*a b c*",
    "***both***": "_*both*_",
    "**重要：**请看": "*重要：*请看",
    "中文**粗体**中文": "中文*粗体*中文",
    "**「引用」**です": "*「引用」*です",
    "이것은 **중요**합니다": "이것은 *중요*합니다",
    中_文_字: "中_文_字",
    "````\n```js\nx\n```\n````": "```\n`\u200b``js\nx\n`\u200b``\n```",
    "~~~\nx\n~~~": "```\nx\n```",
    "`` a`b ``": "a`b",
    "1. a\n   - b\n2. c": "1. a\n   • b\n2. c",
    "- a\n\n  b\n- c": "• a\n\n  b\n• c",
    "- a\nb": "• a\nb",
    "> a\n>\n> b\nafter": "> a\n> \n> b\nafter",
    "> - a\n> - b": "> • a\n> • b",
    "text\n---\nmore": "text\n──────────\nmore",
    "| a | b |\n|---|---|": "| a | b |\n|---|---|",
    "&lt;b&gt; &amp; &copy;": "&lt;b&gt; &amp; ©",
    "": "",
  };
  for (const [given, expected] of Object.entries(cases)) {
    test(JSON.stringify(given), () => expect(markdown(given)).toBe(expected));
  }
});

test("Only mentions of the known forms notify, and only if they are allowed", () => {
  const text = "<@U0AB> <#C0AB> <!subteam^S0AB> <!here> <!date^1^x|y> <https://x|y>";
  expect(markdown(text, true)).toBe(
    "<@U0AB> <#C0AB> <!subteam^S0AB> <!here> &lt;!date^1^x|y&gt; &lt;https://x|y&gt;",
  );
  expect(markdown("\\<!here> &lt;!here&gt; `<!here>` [<!here>](https://e.com)", true)).toBe(
    "&lt;!here&gt; &lt;!here&gt; `&lt;!here&gt;` <https://e.com|&lt;!here&gt;>",
  );
  expect(escapeText("<@U0AB>")).toBe("&lt;@U0AB&gt;");
});

test("No Markdown makes a mention or a link of what is not one", () => {
  const pieces = [
    "<!channel>",
    "<@U1>",
    "**",
    "`",
    "[a](",
    ")",
    "https://x|y>",
    "_",
    "~~",
    "\\",
    "\n",
  ];
  let seed = 1;
  const next = (max: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % max;
  };
  for (let round = 0; round < 500; round += 1) {
    const text = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join("");
    const left = markdown(text).replace(/<https:\/\/[^<>|]*\|[^<>|]*>/g, "");
    expect([text, /<|(^|[^>\n])>/.test(left.replace(/^> /gm, ""))]).toEqual([text, false]);
  }
});

/** Ten times what such a text takes on an idle machine. */
const cpuMicrosMax = 500_000;

test("Texts with thousands of marks are bounded, and lose none of their characters", () => {
  expect(markdown("[".repeat(100_000))).toBe("[".repeat(100_000));
  expect(markdown("*a ".repeat(20_000))).toBe("*a ".repeat(20_000).trimEnd());
  expect(markdown(`${"> ".repeat(60)}a`)).toBe(`${"&gt; ".repeat(60)}a`);
  expect(markdown("# a\n".repeat(5_000))).toBe("# a\n".repeat(5_000));
});

test("The work is linear in hostile texts", () => {
  for (const piece of [
    "**a ",
    "_a ",
    "[",
    "[a](",
    "`",
    "~~~",
    "\\",
    "<@U1",
    "# #",
    "> ",
    "- ",
    "- a\n",
    "# a\n",
    "* ",
    "![",
    "*a **b ",
    "[a](https://e.com)",
    "<https://e.com> ",
    "https://e.com/**",
    "https://",
    "重**",
    "&amp;",
  ]) {
    const text = piece.repeat(40_000 / piece.length);
    const before = process.cpuUsage().user;
    markdown(text, true);
    readText(text);
    expect([piece, process.cpuUsage().user - before < cpuMicrosMax]).toEqual([piece, true]);
  }
  // `.` of a pattern stops at some characters that do not end a line here.
  for (const text of [
    `${" ".repeat(40_000)}\u2028x`,
    `# ${" ".repeat(40_000)}x\u2028y`,
    `${"> ".repeat(10_000)}- ${" ".repeat(20_000)}x\ry`,
    `${"[".repeat(998)}](`.repeat(40),
  ]) {
    const before = process.cpuUsage().user;
    markdown(text, true);
    expect([text.slice(0, 3), process.cpuUsage().user - before < cpuMicrosMax]).toEqual([
      text.slice(0, 3),
      true,
    ]);
  }
});

test("Texts of Slack are read as people see them", () => {
  expect(readText("a &amp; b &lt;c&gt; &amp;lt;")).toBe("a & b <c> &lt;");
  expect(
    readText("<https://x.example> <https://x.example/a|here> <mailto:a@b.example|a@b.example>"),
  ).toBe("https://x.example here (https://x.example/a) a@b.example");
  expect(readText("<@U1|ada> <#C1|ops> <!here> <!subteam^S1|@oncall>")).toBe(
    "<@U1> <#C1> @here <!subteam^S1>",
  );
  expect(readText("1 <2 and 3> 2")).toBe("1 <2 and 3> 2");
});
