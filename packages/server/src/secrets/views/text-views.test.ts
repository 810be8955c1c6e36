import { describe, expect, test } from "bun:test";
import { toViews } from "./text-views.ts";

const options = () => ({ needleCharsMax: 1000, work: { steps: 0 } });
/** All views, and those before their lines were joined. */
const list = (text: string) =>
  [...toViews(text, options())].flatMap((view) =>
    view.unjoined === null ? [view] : [view.unjoined.view, view],
  );
const read = (text: string) => list(text).map((view) => view.text);

describe("toViews", () => {
  test.each([
    ["JSON", String.raw`\"\\\/\b\f\n\r\t\u00e9\u00C9\ud83d\udd11`, '"\\/\b\f\n\r\téÉ🔑'],
    ["JavaScript", String.raw`\x3c\x3E\'`, "<>'"],
    ["percent", "%41%2f%2F%C3%A9%e2%82%ac%F0%9F%94%91", "A//é€🔑"],
    ["HTML", "&amp;&lt;&gt;&quot;&apos;&#39;&#x27;&#X1F511;", "&<>\"'''🔑"],
    ["named HTML", "&lowbar;&bsol;&eacute;&euro;&nbsp;&NewLine;", "_\\é€\u00a0\n"],
    ["ES2015", String.raw`\u{41}\u{1F511}\v`, "A🔑\v"],
    ["octal", String.raw`\101\303\251`, "A\u00c3\u00a9"],
    ["octal with few digits", String.raw`a\7\53b\0c`, "a\u0007+b\0c"],
    ["rare names of HTML", "&Aopf;&NotEqualTilde;&CounterClockwiseContourIntegral;", "𝔸≂̸∳"],
    ["ANSI colours", "s3\u001b[31;1mcr\u001b[0met", "s3cret"],
    ["CDATA after what looks like a tag", "<s3cr]]><![CDATA[et", "<s3cret"],
    ["tags and CDATA", 's3<b class="x">cr</b>e<![CDATA[t]]>!<!-- a -->?', "s3cret!?"],
    ["joined strings of JavaScript", `x = "s3c" + "re"+'t';`, `x = "s3cret';`],
    ["Markdown, regex and shell", String.raw`a\_b\*c\.d\$e\ f`, "a_b*c.d$e f"],
    ["Python", String.raw`\U0001f511`, "🔑"],
    ["legacy percent", "%u20AC%E9%u00e9", "€éé"],
    ["quoted-printable", "a=3Db=C3=A9=\r\nc=E9=\n", "a=bécé"],
  ])("%s escapes are decoded", (_name, text, expected) => {
    expect(read(text)).toContain(expected);
  });

  test.each([
    "no escapes at all",
    String.raw`C:\qux \u12 \xZ \u{} \u{110000} \9`,
    "100 % and %zz %8 %u12 %",
    "page=42 user=7919 a==b",
    "R&D &nope; &#; &#99999999;",
    "&#1114112;",
  ])("A text without an escape is not changed: %j", (text) => {
    expect(read(text)).toEqual([text]);
  });

  test("All orders of two layers are decoded, and eight orders of three, so that an attacker's text costs no more", () => {
    const forged = String.raw`%252541 &amp;amp;lt; \\u005cu005cu0041 \\\\\\\\n`;
    // The text itself, three kinds, six pairs of them, and eight of ten triples.
    expect(read(forged)).toHaveLength(1 + 3 + 6 + 8);
  });

  test("Lines are joined, so that they are searched once", () => {
    expect([...toViews("a\n b\u200bc", options())].map((view) => view.text)).toEqual(["abc"]);
    const [joined] = toViews("a\n b", options());
    expect(joined?.unjoined?.view.text).toBe("a\n b");
  });

  test("Escapes inside escapes are decoded in either order", () => {
    expect(read(String.raw`\\\"`)).toContain('"');
    expect(read("%2541")).toContain("A");
    expect(read("%5C%22")).toContain('"');
    expect(read(String.raw`\u0026lt;`)).toContain("<");
  });

  test("One kind is decoded at a time, because an escape of another kind may be part of the secret", () => {
    expect(read(String.raw`%41\"&lt;`)).toContain('%41"&lt;');
    expect(read(String.raw`%41\"&lt;`)).toContain('A"<');
  });

  test("The number of views is limited", () => {
    expect(read(String.raw`%255c\\u0026#x26;lt;\"%2525`.repeat(3)).length).toBeLessThan(42);
  });

  test("A view contains only the text near an escape, with its position in the original", () => {
    const text = `${"x".repeat(100)}%41${"y".repeat(100)}%42${"z".repeat(5)}`;
    const view = [...toViews(text, { needleCharsMax: 10, work: { steps: 0 } })][1];
    expect(view?.text).toBe(`${"x".repeat(10)}A${"y".repeat(20)}B${"z".repeat(5)}`);
    expect(view?.windows).toEqual([0, 21, 21, 37]);
    expect(view?.toSource({ start: 9, end: 12 })).toEqual({ start: 99, end: 104 });
    expect(view?.toSource({ start: 30, end: 32 })).toEqual({ start: 202, end: 206 });
  });

  test("Windows have the right text, however far their escapes are apart (attack)", () => {
    for (let chars = 0; chars < 60; chars += 1) {
      const letters = "abcdefghijklmnopqrstuvwxyz".repeat(3).slice(0, chars);
      const text = `%41%42%43${letters}0123456789%44klm`;
      const [, view] = toViews(text, { needleCharsMax: 12, work: { steps: 0 } });
      expect([chars, view?.text]).toEqual([chars, expect.stringContaining("0123456789Dklm")]);
    }
  });

  test("The steps are proportional to the length of every text (no clock)", () => {
    for (const unit of [
      "\\",
      "%",
      "%25",
      "&",
      "&amp;",
      "=",
      "\n",
      "\u00ad\n",
      '%255c\\\\u0026#x26;lt;\\"%2525&amp;=3D\n\u200b',
    ]) {
      const count = (chars: number) => {
        const work = { steps: 0 };
        const text = unit.repeat(chars / unit.length);
        for (const _view of toViews(text, { needleCharsMax: 100, work }));
        return work.steps;
      };
      expect(count(64_000)).toBeLessThan(60 * 64_000);
      expect(count(64_000)).toBeLessThan(4.2 * count(16_000) + 1000);
    }
  });
});

describe("toSource", () => {
  test("Every span maps to exactly the characters that it came from", () => {
    const text = 'a%41b\\"c&lt;d%F0%9F%94%91e';
    const view = list(text).find((candidate) => candidate.text === 'aAb"c<d🔑e');
    const sources = ["a", "%41", "b", '\\"', "c", "&lt;", "d", "%F0%9F%94%91", "e"];
    let start = 0;
    for (const [index, character] of [...(view?.text ?? "")].entries()) {
      const span = view?.toSource({ start, end: start + character.length });
      expect(text.slice(span?.start, span?.end)).toBe(sources[index] ?? "");
      start += character.length;
    }
    expect(start).toBe(10);
  });

  test("A span that begins or ends inside an escape maps to the whole escape", () => {
    const text = "x&#x1F511;y";
    const view = list(text)[1];
    expect(view?.text).toBe("x🔑y");
    expect(view?.toSource({ start: 2, end: 4 })).toEqual({ start: 1, end: 11 });
    expect(view?.toSource({ start: 0, end: 2 })).toEqual({ start: 0, end: 10 });
  });

  test("A span maps back through several layers", () => {
    const text = "--%255Cu0041--";
    const view = list(text).find((candidate) => candidate.text === "--A--");
    expect(view?.toSource({ start: 2, end: 3 })).toEqual({ start: 2, end: 12 });
  });
});
