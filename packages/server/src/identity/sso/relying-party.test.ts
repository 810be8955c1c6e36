import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { openTestIssuer } from "../testing/open-test-issuer.ts";
import { createRelyingParty } from "./relying-party.ts";
import { findAttempt, sealAttempt } from "./sealed-attempt.ts";

const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const otherRing = createKeyRing([new Uint8Array(32).fill(2)]);
const attempt = { state: "s", nonce: "n", codeVerifier: "v", destination: "/profile", begunAt: 0 };

/** There is no server at its issuer, so every accepted attempt fails there. */
function openParty(at = 0, issuer = "http://127.0.0.1:1") {
  return createRelyingParty({
    settings: { issuer, clientId: "hub", readClientSecret: () => null },
    redirectUri: "http://localhost:7420/auth/sso/callback",
    trustsEmail: false,
    verifiedDomains: [],
    scopes: [],
    groupsClaim: null,
    ring: { current: () => ring },
    now: () => at,
    log: { warn: () => {} },
  });
}

test("An expired sign-in attempt is refused", async () => {
  const cookie = sealAttempt(ring, attempt);
  const finish = (at: number) => openParty(at).finish("?code=c&state=s", cookie);
  const tenMinutes = 600_000;
  await expect(finish(tenMinutes - 1)).rejects.toMatchObject({ code: "upstream_error" });
  await expect(finish(tenMinutes)).rejects.toMatchObject({ code: "forbidden" });
});

test("A sign-in attempt is bound to its code by an S256 challenge, its state and its nonce", async () => {
  using host = openTestIssuer();
  const { url, cookie } = await openParty(0, host.issuer).begin({ destination: "/profile" });
  const begun = findAttempt(ring, cookie);
  const challenge = createHash("sha256")
    .update(begun?.codeVerifier ?? "")
    .digest("base64url");
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    client_id: "hub",
    response_type: "code",
    scope: "openid email profile",
    redirect_uri: "http://localhost:7420/auth/sso/callback",
    state: `${begun?.state}`,
    nonce: `${begun?.nonce}`,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
});

test("A fresh sign-in asks the issuer for a new one of the person, and its attempt says so", async () => {
  using host = openTestIssuer();
  const given = { destination: "/profile", isFresh: true };
  const { url, cookie } = await openParty(0, host.issuer).begin(given);
  const { searchParams } = new URL(url);
  expect([searchParams.get("prompt"), searchParams.get("max_age")]).toEqual(["login", "0"]);
  expect(findAttempt(ring, cookie)).toMatchObject({ isFresh: true });
});

test("A sign-in attempt can be used once, even if the issuer was unreachable", async () => {
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
])("%s is not accepted as an attempt of this browser", async (_, cookie) => {
  await expect(openParty().finish("?code=c&state=s", cookie)).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("A sign-in that the person stopped at the issuer says so, and any other refusal does not", async () => {
  using host = openTestIssuer();
  const finish = (error: string) =>
    openParty(0, host.issuer).finish(`?error=${error}&state=s`, sealAttempt(ring, attempt));
  await expect(finish("access_denied")).rejects.toMatchObject({
    code: "forbidden",
    detail: { reason: "stopped_at_issuer" },
    message: expect.stringContaining("The sign-in was cancelled."),
  });
  await expect(finish("server_error")).rejects.toMatchObject({
    code: "forbidden",
    detail: {},
    message: expect.stringContaining("did not confirm who you are"),
  });
});

test("A sealed attempt may have 4096 characters, as much as a cookie, and no more", () => {
  const [empty, one] = ["", "x"].map((destination) =>
    Buffer.from(sealAttempt(ring, { ...attempt, destination }), "base64url"),
  );
  // Each character of the destination adds one byte.
  expect((one?.length ?? 0) - (empty?.length ?? 0)).toBe(1);
  const destination = "x".repeat(3072 - (empty?.length ?? 0));
  const longest = { ...attempt, destination };
  const sealed = sealAttempt(ring, longest);
  expect(sealed).toHaveLength(4096);
  expect(findAttempt(ring, sealed)).toEqual(longest);
  // Without the limit it would open: the decoder ignores an incomplete byte.
  expect(findAttempt(ring, `${sealed}A`)).toBeNull();
});

test("A value sealed for another purpose does not open as a sign-in attempt", () => {
  const binding = { table: "flash", row: "session", field: "hub_flash" };
  const sealed = sealAtRest(ring, binding, JSON.stringify(attempt));
  expect(findAttempt(ring, Buffer.from(sealed).toString("base64url"))).toBeNull();
  expect(findAttempt(ring, sealAttempt(ring, attempt))).toEqual(attempt);
});

describe("an ID token", () => {
  /** The result of a sign-in at an issuer whose token endpoint returns this ID token. */
  async function signInWith(
    claims: Record<string, unknown> = {},
    key?: KeyObject | null,
    alter?: (token: string) => string,
    begun: Parameters<typeof sealAttempt>[1] = attempt,
  ) {
    using host = openTestIssuer();
    host.answerWith({ nonce: "n", ...claims }, key, alter);
    const party = createRelyingParty({
      settings: { issuer: host.issuer, clientId: "hub", readClientSecret: () => null },
      redirectUri: "http://localhost:7420/auth/sso/callback",
      trustsEmail: false,
      verifiedDomains: [],
      scopes: [],
      groupsClaim: null,
      ring: { current: () => ring },
      now: () => 0,
      log: { warn: () => {} },
    });
    return await party.finish("?code=c&state=s", sealAttempt(ring, begun)).then(
      ({ person }) => person.email,
      (thrown) => thrown.code,
    );
  }

  test("An ID token signed by the issuer is accepted", async () => {
    expect(await signInWith()).toBe("ada@example.com");
  });

  test("A fresh sign-in needs the issuer's word that the person has just signed in there", async () => {
    const begun = { ...attempt, begunAt: 3_000_000, isFresh: true } as const;
    const finish = (claims: Record<string, unknown>) =>
      signInWith(claims, undefined, undefined, begun);
    // The clock of the issuer may be a minute behind.
    expect(await finish({ auth_time: 2_940 })).toBe("ada@example.com");
    expect(await finish({ auth_time: 2_939 })).toBe("forbidden");
    expect(await finish({})).toBe("forbidden");
    expect(await finish({ auth_time: "3000" })).toBe("forbidden");
    expect(await signInWith({ auth_time: 1 })).toBe("ada@example.com");
  });

  const { privateKey: strangersKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

  test("An ID token with another signer is refused, even from the issuer's address", async () => {
    expect(await signInWith({}, strangersKey)).toBe("forbidden");
  });

  test("An unsigned ID token is refused", async () => {
    expect(await signInWith({}, null)).toBe("forbidden");
  });

  test("A response without an ID token is refused", async () => {
    expect(await signInWith({}, undefined, () => "")).toBe("forbidden");
  });

  test("An ID token that was changed after signing is refused", async () => {
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
  ])("An ID token for %s is refused", async (_, claims) => {
    expect(await signInWith(claims)).toBe("forbidden");
  });
});
