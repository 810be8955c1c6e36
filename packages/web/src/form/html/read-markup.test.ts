import { expect, test } from "bun:test";
import { type MarkupNode, readMarkup } from "./read-markup.ts";

/** The markup as text again, for comparison. */
function write(nodes: readonly MarkupNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return node;
      const attributes = node.attributes.map(([name, value]) => ` ${name}="${value}"`).join("");
      return `<${node.tag}${attributes}>${write(node.children)}</${node.tag}>`;
    })
    .join("");
}
const read = (html: string) => write(readMarkup(html).nodes);

test("Forms, tables, text, classes and data attributes are kept", () => {
  const html =
    '<form class="a" data-x="1"><input type="checkbox" name="n" value="v"></input></form>';
  expect(read(html)).toBe(html);
  expect(read("<table><tr><td colspan=2>a</td></tr></table>")).toBe(
    '<table><tr><td colspan="2">a</td></tr></table>',
  );
});

test.each([
  ["a script", "<script>alert(1)</script>a", "a"],
  ["a handler", "<p onclick=alert(1) ONFOCUS=x>a</p>", "<p>a</p>"],
  ["a javascript: link", '<a href=" jAvascript:alert(1)">a</a>', "<a>a</a>"],
  ["a link with a tab in its scheme", '<a href="java\tscript:alert(1)">a</a>', "<a>a</a>"],
  ["a link of this origin", '<a href="/auth/logout">a</a>', "<a>a</a>"],
  ["an image of another origin", '<img src="https://evil.invalid/a">', "<img></img>"],
  ["an SVG document", "<svg><a href=x>inside</a></svg>a", "a"],
  ["MathML", "<math><mtext>inside</mtext></math>a", "a"],
  ["a frame", '<iframe srcdoc="x">inside</iframe>a', "a"],
  ["a form's address", '<form action="x" method=post target=y>a</form>', "<form>a</form>"],
  ["a button's address", '<button formaction="x" form="f">a</button>', "<button>a</button>"],
  ["a template", "<template><p>inside</p></template>a", "a"],
  ["a file input", "<input type=file>", '<input type="text"></input>'],
  ["an image input", "<input type=image src=x>", '<input type="text"></input>'],
  ["a comment", "<!-- <script> -->a", "a"],
  ["an unknown element", "<x-y>a<b>b</b></x-y>", "a<b>b</b>"],
])("Of %s nothing is kept that runs or loads", (_, html, kept) => {
  expect(read(html)).toBe(kept);
});

test("The names of members of forms and documents are plain attributes", () => {
  expect(read('<form><input name="attributes"><input id="location"></form>')).toBe(
    '<form><input name="attributes"></input><input id="location"></input></form>',
  );
});

test("Styles are handed on as text, to be applied property by property", () => {
  const { nodes, sheets } = readMarkup('<style>p{color:red}</style><p style="color:red">a</p>');
  expect(sheets).toEqual(["p{color:red}"]);
  expect(nodes).toMatchObject([{ tag: "p", style: "color:red", attributes: [] }]);
});

test.each([
  ["elements", "<b>x</b>".repeat(131_072)],
  ["attributes", `<p ${Array.from({ length: 60_000 }, (_, at) => `data-a${at}=1`).join(" ")}>`],
  ["open elements", `${"<div>".repeat(100_000)}${"</i>".repeat(100_000)}`],
])("A megabyte of %s is cut", (_, html) => {
  expect(readMarkup(html).isCut).toBe(true);
});
