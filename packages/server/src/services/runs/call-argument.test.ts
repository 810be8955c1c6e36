/** Protects: a line in a list shows no token and no secret of a request, and costs little for any request. */
import { describe, expect, test } from "bun:test";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { findCallArgument } from "./call-argument.ts";

const find = (request: object) => findCallArgument(JSON.stringify(request), null);

describe("the argument that distinguishes a call from others", () => {
  test.each([
    [{ query: { a: 1 }, path: "/orders/17" }, "/orders/17"],
    [{ path: "/orders?access=x&page=2" }, "/orders?…"],
    [{ state: "open", issue_id: 12345678901234567890n.toString() }, "12345678901234567890"],
    [{ body: "long", title: "Login fails" }, "Login fails"],
    [{ first: true, second: "x" }, "true"],
    [{ nested: { id: 5 }, list: [{ name: "a" }], last: 7 }, "7"],
    [{ name: "", comment: "  two \n lines " }, "two lines"],
    [{ _omitted: "The row has a secret that can be guessed." }, null],
    [{ a: null, b: {} }, null],
    [{}, null],
  ])("Of %j it is %j", (request, argument) => {
    expect(find(request)).toBe(argument);
  });

  test("Digits stay exact, and a request that is no object has none", () => {
    expect(findCallArgument('{"id":12345678901234567890}', null)).toBe("12345678901234567890");
    for (const text of ['"path"', "[1]", "null", "", "{", '{"a', '{"a":']) {
      expect([text, findCallArgument(text, null)]).toEqual([text, null]);
    }
  });

  test("An operation of a document shows its method and path, with the values that stand in it", () => {
    const inputs = [{ input: "order_id", name: "order" }];
    const route = { method: "get", path: "/orders/{order}/items/{item}", inputs };
    const request = JSON.stringify({ order_id: 17, verbose: true });
    expect(findCallArgument(request, route)).toBe("GET /orders/17/items/{item}");
  });

  test("It has at most 80 characters, and no half of one", () => {
    const found = find({ name: `${"a".repeat(78)}😀😀` }) ?? "";
    expect([found.length, found.isWellFormed(), found.endsWith("…")]).toEqual([79, true, true]);
    expect(find({ name: "b".repeat(80) })).toBe("b".repeat(80));
  });

  test("A request that was cut is read up to the cut", () => {
    for (const cut of [
      '{"path":"/orders/1',
      '{"a":{"b":[1,{"c',
      '{"path":"x\\u00',
      '{"path":"x\\',
    ]) {
      const expected = cut.startsWith('{"a') ? null : cut.includes("orders") ? "/orders/1" : "x";
      expect([cut, findCallArgument(cut, null)]).toEqual([cut, expected]);
    }
  });

  test("Invisible characters and those that change the direction are left out", () => {
    expect(find({ path: "/a\u202eb\u200b\u0000c" })).toBe("/abc");
  });
});

describe("secrets in it", () => {
  const ring = createKeyRing([new Uint8Array(32).fill(1)]);
  const seal = (text: string) =>
    sealValue(ring, { userId: crypto.randomUUID(), rowId: null }, text);

  test("A token is shown as …, whole, fake or cut", () => {
    const token = seal("the-secret-9fK2xQ7vLm4R");
    expect(token).toStartWith("hub_enc_");
    expect(find({ path: `/users/${token}/keys` })).toBe("/users/…/keys");
    for (const text of [
      token.slice(0, 30),
      "hub_enc_fake",
      `hub_enc_${token}`,
      `${token}hub_enc_`,
    ]) {
      const found = find({ name: `of ${text}` }) ?? "";
      expect(found).toStartWith("of …");
      expect(found).not.toContain("hub_enc_");
      expect(found).not.toContain(token.slice(8, 20));
    }
  });

  test.each([
    "password",
    "client_secret",
    "apiToken",
    "Authorization",
    "api-key",
    "private_key",
  ])("An argument with the name %s is not shown", (name) => {
    expect(find({ [name]: "typed by a person", other: "shown" })).toBe("shown");
    expect(find({ [name]: "typed by a person" })).toBeNull();
  });
});
