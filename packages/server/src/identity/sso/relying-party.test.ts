import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { sealAtRest } from "../../secrets/at-rest.ts";
import { createKeyRing } from "../../secrets/key-ring.ts";
import { openTestIssuer } from "../testing/open-test-issuer.ts";
import { createRelyingParty } from "./relying-party.ts";
import { findAttempt, sealAttempt } from "./sealed-attempt.ts";

const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const otherRing = createKeyRing([new Uint8Array(32).fill(2)]);
const attempt = { state: "s", nonce: "n", codeVerifier: "v", destination: "/profile", begunAt: 0 };

/** Nothing answers at its issuer: an attempt that is let through fails there. */
function openParty(at = 0, issuer = "http://127.0.0.1:1") {
  return createRelyingParty({
    settings: { issuer, clientId: "hub", readClientSecret: () => null },
    redirectUri: "http://localhost:7420/auth/sso/callback",
    trustsEmail: false,
    ring: { current: () => ring },
    now: () => at,
    log: { warn: () => {} },
  });
}

test("an attempt that was begun too long ago counts no more", async () => {
  const cookie = sealAttempt(ring, attempt);
  const finish = (at: number) => openParty(at).finish("?code=c&state=s", cookie);
  const tenMinutes = 600_000;
  await expect(finish(tenMinutes - 1)).rejects.toMatchObject({ code: "upstream_error" });
  await expect(finish(tenMinutes)).rejects.toMatchObject({ code: "forbidden" });
});

test("an attempt is bound to its code by a challenge with SHA-256, by its state and by its nonce", async () => {
  using host = openTestIssuer();
  const { url, cookie } = await openParty(0, host.issuer).begin({ destination: "/profile" });
  const begun = findAttempt(ring, cookie);
  const challenge = createHash("sha256")
    .update(begun?.codeVerifier ?? "")
    .digest("base64url");
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    ...{ client_id: "hub", response_type: "code", scope: "openid email profile" },
    ...{ redirect_uri: "http://localhost:7420/auth/sso/callback" },
    ...{ state: `${begun?.state}`, nonce: `${begun?.nonce}` },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  });
});

test("an attempt counts once, also where the issuer could not be asked", async () => {
  const party = openParty();
  const cookie = sealAttempt(ring, attempt);
  await expect(party.finish("?code=c&state=s", cookie)).rejects.toMatchObject({
    code: "upstream_error",
  });
  await expect(party.finish("?code=c&state=s", cookie)).rejects.toMatchObject({
    code: "forbidden",
  });
});

test.each([
  ["no cookie", null],
  ["a cookie sealed with another key", sealAttempt(otherRing, attempt)],
  ["a cookie in clear", Buffer.from(JSON.stringify(attempt)).toString("base64url")],
])("%s is no attempt of this browser", async (_, cookie) => {
  await expect(openParty().finish("?code=c&state=s", cookie)).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("what the hub sealed for another purpose opens as no attempt", () => {
  const place = { table: "flash", row: "session", field: "hub_flash" };
  const sealed = sealAtRest(ring, place, JSON.stringify(attempt));
  expect(findAttempt(ring, Buffer.from(sealed).toString("base64url"))).toBeNull();
  expect(findAttempt(ring, sealAttempt(ring, attempt))).toEqual(attempt);
});

describe("an ID token", () => {
  /** What comes of a sign-in at an issuer whose token endpoint answers with this ID token. */
  async function signInWith(
    claims: Record<string, unknown> = {},
    key?: KeyObject | null,
    alter?: (token: string) => string,
  ) {
    using host = openTestIssuer();
    host.answerWith({ nonce: "n", ...claims }, key, alter);
    const party = createRelyingParty({
      settings: { issuer: host.issuer, clientId: "hub", readClientSecret: () => null },
      redirectUri: "http://localhost:7420/auth/sso/callback",
      trustsEmail: false,
      ring: { current: () => ring },
      now: () => 0,
      log: { warn: () => {} },
    });
    return await party.finish("?code=c&state=s", sealAttempt(ring, attempt)).then(
      ({ person }) => person.email,
      (thrown) => thrown.code,
    );
  }

  test("that the issuer signed vouches for its person", async () => {
    expect(await signInWith()).toBe("ada@example.com");
  });

  const { privateKey: strangersKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

  test("that a stranger signed vouches for nobody, though it comes from the issuer's address", async () => {
    expect(await signInWith({}, strangersKey)).toBe("forbidden");
  });

  test("that nobody signed vouches for nobody", async () => {
    expect(await signInWith({}, null)).toBe("forbidden");
  });

  test("whose claims were changed after it was signed vouches for nobody", async () => {
    const alter = (token: string) => {
      const [head, claims = "", signature] = token.split(".");
      const given = JSON.parse(Buffer.from(claims, "base64url").toString());
      const forged = JSON.stringify({ ...given, email: "root@example.com" });
      return [head, Buffer.from(forged).toString("base64url"), signature].join(".");
    };
    expect(await signInWith({}, undefined, alter)).toBe("forbidden");
  });

  test.each<[string, Record<string, unknown>]>([
    ["another client", { aud: "other" }],
    ["another issuer", { iss: "https://evil.example" }],
    ["another sign-in", { nonce: "other" }],
    ["an earlier time", { exp: 1 }],
  ])("for %s vouches for nobody", async (_, claims) => {
    expect(await signInWith(claims)).toBe("forbidden");
  });
});
