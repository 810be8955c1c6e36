/** Protects: what approvers see first has no secrets, hides nothing, and says when it is a part. */
import { expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import { cutListed, type NamedValue, showValues } from "./shown-values.ts";

const secret = "s3cret value";
const token = "[sealed]";

/** Seals a secret, and records how many characters it had to search. */
function createDeps() {
  let chars = 0;
  const seal = async (value: Json): Promise<Json> => {
    const text = JSON.stringify(value);
    chars += text.length;
    return JSON.parse(text.replaceAll(secret, token));
  };
  return { cutText: cutTextAtCharacter, seal, countChars: () => chars };
}

const show = async (...values: NamedValue[]) => await showValues(createDeps(), values);

test("Values are texts, and other values are JSON", async () => {
  const values = ["12", 12.5, true, null, { a: [1] }];
  const shown = await show(...values.map((value) => ({ label: "v", value })));
  expect(shown.map(({ value }) => value)).toEqual(["12", "12.5", "true", "null", '{"a":[1]}']);
  expect(shown.every(({ is_cut: isCut }) => !isCut)).toBe(true);
  expect(await show()).toEqual([]);
});

test("A secret is hidden in labels and values, in a label also if a line end parts it", async () => {
  const shown = await show(
    { label: `of ${secret}`, value: [secret, { [secret]: 1 }] },
    { label: `of ${secret.replace(" ", "\n")}`, value: secret },
  );
  expect(shown).toEqual([
    { label: `of ${token}`, value: `["${token}",{"${token}":1}]`, is_cut: false },
    { label: `of ${token}`, value: token, is_cut: false },
  ]);
});

test("Invisible characters are escapes, labels are one line, and values keep their lines", async () => {
  const hostile = "<b>*a*</b>\u202Eb\u200b\u2800\r\nApproved\u0007\u{e0041}";
  const [shown] = await show({ label: hostile, value: hostile });
  expect(shown?.label).toBe("<b>*a*</b>\\u202eb\\u200b\\u2800 Approved\\u0007\\udb40\\udc41");
  expect(shown?.value).toBe("<b>*a*</b>\\u202eb\\u200b\\u2800\nApproved\\u0007\\udb40\\udc41");
});

test("Ten values of 1 MiB are cut before they are searched for secrets", async () => {
  const deps = createDeps();
  const large = "ä".repeat(512 * 1024);
  const values = Array.from({ length: 10 }, (_, at) => ({ label: `v${at}`, value: large }));
  const shown = await showValues(deps, values);
  expect(deps.countChars()).toBeLessThan(100_000);
  for (const { value, is_cut: isCut } of shown) {
    expect([Buffer.byteLength(value) <= 4096, value.startsWith("ää"), isCut]).toEqual([
      true,
      true,
      true,
    ]);
  }
});

test("A list or an object that is too large is named instead of cut", async () => {
  const list = Array.from({ length: 100_000 }, () => 7);
  const object = Object.fromEntries(list.map((_, at) => [`k${at}`, at]));
  const shown = await show(
    { label: "list", value: list },
    { label: "object", value: object },
    { label: "long", value: { text: "x".repeat(100_000) } },
  );
  expect(shown).toEqual([
    { label: "list", value: "(a list of 100000 items, which is too large to show)", is_cut: true },
    { label: "object", value: "(an object, which is too large to show)", is_cut: true },
    { label: "long", value: "(an object, which is too large to show)", is_cut: true },
  ]);
});

test("Escapes do not make a value longer than 4 KiB", async () => {
  const [shown] = await show({ label: "\u0001".repeat(100), value: "\u202E".repeat(2_000) });
  expect(Buffer.byteLength(JSON.stringify(shown?.value))).toBeLessThanOrEqual(4_096);
  expect(Buffer.byteLength(JSON.stringify(shown?.label))).toBeLessThanOrEqual(400);
  expect(shown?.is_cut).toBe(true);
});

test("Lists show 200 characters of a value, and no half of one", () => {
  const of = (value: string) => cutListed([{ label: "v", value, is_cut: false }])[0];
  expect(of("x".repeat(200))).toEqual({ label: "v", value: "x".repeat(200), is_cut: false });
  expect(of(`${"x".repeat(199)}\u{1f600}`)).toEqual({
    label: "v",
    value: "x".repeat(199),
    is_cut: true,
  });
});
