import { describe, expect, test } from "bun:test";
import { joinLines, toViews } from "./text-views.ts";

const read = (text: string, plusIsSpace = false) =>
  toViews(text, { plusIsSpace }).map((view) => view.text);

describe("toViews", () => {
  test.each([
    ["JSON", String.raw`\"\\\/\b\f\n\r\t\u00e9\u00C9\ud83d\udd11`, '"\\/\b\f\n\r\téÉ🔑'],
    ["JavaScript", String.raw`\x3c\x3E\'`, "<>'"],
    ["percent", "%41%2f%2F%C3%A9%e2%82%ac%F0%9F%94%91", "A//é€🔑"],
    ["HTML", "&amp;&lt;&gt;&quot;&apos;&#39;&#x27;&#X1F511;", "&<>\"'''🔑"],
  ])("undoes %s escapes", (_name, text, expected) => {
    expect(read(text)).toContain(expected);
  });

  test.each([
    "no escapes at all",
    String.raw`C:\qux \u12 \xZ`,
    "100 % and %zz %8 %C3 %ED%A0%80 %C0%80 %F7%BF%BF%BF",
    "R&D &nope; &#; &#99999999;",
    "&#1114112;",
  ])("leaves what is no escape: %j", (text) => {
    expect(read(text)).toEqual([text]);
  });

  test("undoes escapes within escapes, in either order", () => {
    expect(read(String.raw`\\\"`)).toContain('"');
    expect(read("%2541")).toContain("A");
    expect(read("%5C%22")).toContain('"');
    expect(read(String.raw`\u0026lt;`)).toContain("<");
  });

  test("undoes one kind at a time: what is an escape of another kind may be the secret's own", () => {
    expect(read(String.raw`%41\"&lt;`)).toContain('%41"&lt;');
    expect(read(String.raw`%41\"&lt;`)).toContain('A"<');
  });

  test("reads a plus as a space only when asked to", () => {
    expect(read("a+b%2Bc")).not.toContain("a b+c");
    expect(read("a+b%2Bc", true)).toContain("a b+c");
  });

  test("keeps the number of views bounded", () => {
    expect(read(String.raw`%255c\\u0026#x26;lt;\"%2525`.repeat(3), true).length).toBeLessThan(42);
  });
});

describe("toSource", () => {
  test("leads every stretch back to just the characters that it came from", () => {
    const text = 'a%41b\\"c&lt;d%F0%9F%94%91e';
    const views = toViews(text, { plusIsSpace: false });
    const view = views.find((candidate) => candidate.text === 'aAb"c<d🔑e');
    const sources = ["a", "%41", "b", '\\"', "c", "&lt;", "d", "%F0%9F%94%91", "e"];
    let start = 0;
    for (const [index, character] of [...(view?.text ?? "")].entries()) {
      const span = view?.toSource({ start, end: start + character.length });
      expect(text.slice(span?.start, span?.end)).toBe(sources[index] ?? "");
      start += character.length;
    }
    expect(start).toBe(10);
  });

  test("takes in the whole escape where a stretch begins or ends within its characters", () => {
    const text = "x&#x1F511;y";
    const view = toViews(text, { plusIsSpace: false })[1];
    expect(view?.text).toBe("x🔑y");
    expect(view?.toSource({ start: 2, end: 4 })).toEqual({ start: 1, end: 11 });
    expect(view?.toSource({ start: 0, end: 2 })).toEqual({ start: 0, end: 10 });
  });

  test("leads back through several layers", () => {
    const text = "--%255Cu0041--";
    const view = toViews(text, { plusIsSpace: false }).find(
      (candidate) => candidate.text === "--A--",
    );
    expect(view?.toSource({ start: 2, end: 3 })).toEqual({ start: 2, end: 12 });
  });
});

describe("joinLines", () => {
  const original = { toSource: (span: { start: number; end: number }) => span };

  test("takes line breaks and the indentation after them away", () => {
    const joined = joinLines({ text: "ab\r\n  cd\n\n\tef\ngh", ...original });
    expect(joined?.text).toBe("abcdefgh");
    expect(joined?.toSource({ start: 1, end: 3 })).toEqual({ start: 1, end: 7 });
    expect(joined?.toSource({ start: 2, end: 4 })).toEqual({ start: 6, end: 8 });
  });

  test("has nothing to say of a text of one line", () => {
    expect(joinLines({ text: "abcd", ...original })).toBeNull();
  });
});
