/** Protects: of a webhook with a secret, only requests that its holder has signed, and lately, are taken. */
import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { findSignatureFault, findSignedRequest } from "./check-webhook-signature.ts";

const secret = "the-secret-of-the-sender";
const body = '{"order":1}';
const raw = new TextEncoder().encode(body);
const nowS = 1_800_000_000;
const trigger = { secret_ref: "SIGN", replay_window_s: 300 };

const sign = (text: string, key = secret) =>
  `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;

function findFault(headers: Record<string, string>, given: { secret?: string | null } = {}) {
  const checked = { secret: "secret" in given ? (given.secret ?? null) : secret, now: nowS * 1000 };
  return findSignatureFault(trigger, { headers: new Headers(headers), raw }, checked);
}

const timed = (atS: number) => ({
  "x-hub-sig": sign(body),
  "x-hub-timestamp": `${atS}`,
  "x-hub-sig-timestamped": sign(`${atS}.${body}`),
});

test("A request of this minute is valid, also with upper-case signatures, and nothing is needed without a secret", () => {
  expect(findFault(timed(nowS))).toBeNull();
  const upper = Object.entries(timed(nowS)).map(([name, value]) => [name, value.toUpperCase()]);
  expect(findFault(Object.fromEntries(upper))).toBeNull();
  const facts = { secret: null, now: 0 };
  expect(findSignatureFault({}, { headers: new Headers(), raw }, facts)).toBeNull();
});

test.each([
  [300, null],
  [301, "timestamp_outside_window"],
] as const)("A timestamp that is off by %d s, before or after, gives %p", (offS, fault) => {
  expect([findFault(timed(nowS - offS)), findFault(timed(nowS + offS))]).toEqual([fault, fault]);
});

test.each([
  ["no signature", "signature_missing", {}],
  ["a wrong signature", "signature_wrong", { "x-hub-sig": sign("other") }],
  ["a signature that is cut", "signature_wrong", { "x-hub-sig": sign(body).slice(0, -1) }],
  ["no timestamp", "timestamp_missing", { "x-hub-sig": sign(body) }],
  [
    "a signature of another time",
    "timestamp_signature_wrong",
    { ...timed(nowS), "x-hub-timestamp": `${nowS - 1}` },
  ],
] as const)("%s is %s", (_, fault, headers) => {
  expect(findFault(headers)).toBe(fault);
});

test.each([
  null,
  "",
])("Without a secret in the workflow (%p), nothing is valid, also what an empty key signs", (none) => {
  const headers = { ...timed(nowS), "x-hub-sig": sign(body, "") };
  expect(findFault(headers, { secret: none })).toBe("secret_not_set");
});

test("A signed request is known by its signature in lower case, until its timestamp is too old", () => {
  const headers = timed(nowS);
  const upper = {
    ...headers,
    "x-hub-sig-timestamped": headers["x-hub-sig-timestamped"].toUpperCase(),
  };
  expect(findSignedRequest(trigger, new Headers(upper))).toEqual({
    id: headers["x-hub-sig-timestamped"],
    validUntil: (nowS + 300) * 1000,
  });
  expect(findSignedRequest({ secret_ref: "SIGN" }, new Headers(headers))).toBeNull();
});
