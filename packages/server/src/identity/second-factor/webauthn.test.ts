import { describe, expect, test } from "bun:test";
import { createSoftPasskey } from "./testing/soft-passkey.ts";
import {
  checkPasskeyAnswer,
  findRelyingPartyId,
  newPasskeySchema,
  passkeyAnswerSchema,
  readNewPasskey,
} from "./webauthn.ts";

const rp = { origin: "https://hub.example", host: "hub.example" };
const challenge = "c".repeat(43);
const site = rp;

type Signing = Parameters<ReturnType<typeof createSoftPasskey>["sign"]>[0];

const make = (passkey: ReturnType<typeof createSoftPasskey>, more: Partial<Signing> = {}) => {
  const fields = passkey.make({ challenge, site, ...more });
  return readNewPasskey(
    newPasskeySchema.parse({ ...fields, algorithm: Number(fields.algorithm) }),
    { rp, challenge },
  );
};

function answer(more: Partial<Signing> = {}, needsVerification = true) {
  const passkey = createSoftPasskey();
  const key = make(passkey);
  if (key === null) throw new Error("The passkey was not made");
  const fields = passkeyAnswerSchema.parse(passkey.sign({ challenge, site, ...more }));
  return checkPasskeyAnswer(fields, key, { rp, challenge, needsVerification });
}

test.each([
  "es256",
  "ed25519",
  "rs256",
] as const)("A passkey of the kind %s is added and signs", (kind) => {
  const passkey = createSoftPasskey(kind);
  const key = make(passkey, { counter: 3 });
  expect(key).toMatchObject({ counter: 3 });
  expect(Buffer.from(key?.credentialId ?? []).toString("base64url")).toBe(passkey.credentialId);
  const fields = passkeyAnswerSchema.parse(passkey.sign({ challenge, site, counter: 4 }));
  const expected = { rp, challenge, needsVerification: true };
  expect(key && checkPasskeyAnswer(fields, key, expected)).toEqual({ counter: 4 });
});

const foreign = { origin: "https://hub.example.evil.example", host: "hub.example.evil.example" };
const attacks: Array<[string, Partial<Signing>]> = [
  ["for another challenge", { challenge: "d".repeat(43) }],
  ["of another site", { site: foreign }],
  ["that a page of another site asked for", { site: { ...rp, origin: foreign.origin } }],
  ["for the host of another site", { site: { ...rp, host: foreign.host } }],
  ["of a port that is not the hub's", { site: { ...rp, origin: "https://hub.example:8443" } }],
  ["from a frame of another site", { crossOrigin: true }],
];

describe("an answer of a passkey", () => {
  test.each([
    ...attacks,
    ["of a new passkey", { type: "webauthn.create" }],
  ])("%s is refused", (_, more) => {
    expect(answer()).not.toBeNull();
    expect(answer(more)).toBeNull();
  });

  test("without a check of the person counts only beside a password", () => {
    expect(answer({ isVerified: false }, true)).toBeNull();
    expect(answer({ isVerified: false }, false)).not.toBeNull();
  });

  test("signed by another key, or changed, is refused", () => {
    const key = make(createSoftPasskey());
    const fields = passkeyAnswerSchema.parse(createSoftPasskey().sign({ challenge, site }));
    const expected = { rp, challenge, needsVerification: true };
    expect(key && checkPasskeyAnswer(fields, key, expected)).toBeNull();
  });
});

describe("a new passkey", () => {
  test.each([
    ...attacks,
    ["of an answer", { type: "webauthn.get" }],
  ])("%s is refused", (_, more) => {
    expect(make(createSoftPasskey(), more)).toBeNull();
  });

  test("whose key is not of its algorithm is refused", () => {
    const fields = createSoftPasskey("ed25519").make({ challenge, site });
    for (const algorithm of [-7, -257, -37, 0]) {
      const given = newPasskeySchema.parse({ ...fields, algorithm });
      expect(readNewPasskey(given, { rp, challenge })).toBeNull();
    }
  });

  test("that is cut at any byte is refused, and fails nothing", () => {
    const fields = createSoftPasskey().make({ challenge, site });
    const whole = Buffer.from(fields.authenticator_data, "base64url");
    const cuts = Array.from({ length: whole.length }, (_, at) => whole.subarray(0, at));
    expect(cuts.length).toBeGreaterThan(60);
    for (const cut of cuts) {
      const authenticator_data = cut.toString("base64url");
      const given = newPasskeySchema.parse({ ...fields, authenticator_data, algorithm: -7 });
      expect(readNewPasskey(given, { rp, challenge })).toBeNull();
    }
  });
});

test.each([
  ["https://hub.example:8443", "hub.example"],
  ["http://localhost:7420", "localhost"],
  ["http://hub.example", null],
  ["https://192.0.2.1", null],
  ["http://127.0.0.1:7420", null],
  ["https://[2001:db8::1]", null],
])("The host of passkeys at %s is %p", (baseUrl, host) => {
  expect(findRelyingPartyId(baseUrl)?.host ?? null).toBe(host);
});
