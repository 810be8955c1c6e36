import { expect, test } from "bun:test";
import fc from "fast-check";
import { brokenBytesMax } from "./decode-text.ts";
import { readForm, readUtf8Form } from "./read-form.ts";

const read = (text: string) => [...readUtf8Form(new TextEncoder().encode(text))];

test("A form is read as browsers read it", () => {
  const parts = ["a", "=", "&", "+", "%", "%4", "%zz", "%41", "%2b", "%26", "%c3%a9", "%ff"];
  const others = ["%f0%9f%98%80", "%f0%90", "%00", "%EF%BB%BF", "é", "😀", "\ufeff", " "];
  const form = fc.array(fc.constantFrom(...parts, ...others), { maxLength: 12 });
  fc.assert(
    fc.property(form, (made) => {
      // URLSearchParams takes a question mark away, and a body's byte order mark is none of its text.
      const text = `x=${made.join("")}`;
      expect(read(text)).toEqual([...new URLSearchParams(text)]);
      expect(read(`\ufeff${text}`)).toEqual(read(text));
    }),
    { numRuns: 300, seed: 1 },
  );
});

test("A question mark at the start of a form belongs to the name", () => {
  expect(read("?a=1&&=&b")).toEqual([
    ["?a", "1"],
    ["", ""],
    ["b", ""],
  ]);
});

test("Each byte of a form is decoded at most once", () => {
  let bytes = 0;
  const raw = new TextEncoder().encode("%ff=%41+&".repeat(1000));
  const pairs = [
    ...readForm(raw, (part) => {
      bytes += part.byteLength;
      return "";
    }),
  ];
  expect([pairs.length, bytes]).toEqual([1000, 3000]);
});

test("Of values that are not UTF-8, a limited part is decoded exactly (held event loop)", () => {
  const exact = "\ufffd";
  const perByte = "\ufffd\ufffd";
  const broken = "%f0%90".repeat(64 * 1024);
  const fields = Array.from({ length: 12 }, () => `a=${broken}`).join("&");
  const chars = read(fields).map(([, value]) => value.length);
  const bytes = 2 * 64 * 1024;
  const exactFields = brokenBytesMax / bytes;
  expect(chars.slice(0, exactFields)).toEqual(Array(exactFields).fill(bytes / 2));
  expect(chars.slice(exactFields)).toEqual(Array(12 - exactFields).fill(bytes));
  expect(read("a=%f0%90")).toEqual([["a", exact]]);
  expect(read(`a=${"%f0%90".repeat(brokenBytesMax)}`)[0]?.[1].startsWith(perByte)).toBeTrue();
});
