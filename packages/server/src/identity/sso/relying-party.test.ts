import { describe, expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { sealAtRest } from "../../secrets/at-rest.ts";
import { createKeyRing } from "../../secrets/key-ring.ts";
import { createRelyingParty } from "./relying-party.ts";
import { findAttempt, sealAttempt } from "./sealed-attempt.ts";

const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const otherRing = createKeyRing([new Uint8Array(32).fill(2)]);
const attempt = { state: "s", nonce: "n", codeVerifier: "v", destination: "/profile", begunAt: 0 };

/** Nothing answers at its issuer: an attempt that is let through fails there. */
function openParty(at = 0) {
  return createRelyingParty({
    settings: { issuer: "http://127.0.0.1:1", clientId: "hub", readClientSecret: () => null },
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
  const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const strangers = generateKeyPairSync("rsa", { modulusLength: 2048 });

  /** What comes of a sign-in at an issuer whose token endpoint answers with this ID token. */
  async function signInWith(
    key: KeyObject | null,
    claims: Record<string, unknown> = {},
    alter = (token: string) => token,
  ) {
    using host = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(req): Response {
        const { pathname, origin } = new URL(req.url);
        if (pathname === "/jwks") {
          const jwk = { ...own.publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256" };
          return Response.json({ keys: [jwk] });
        }
        if (pathname !== "/token") return Response.json(toMetadata(origin));
        const now = Math.floor(Date.now() / 1000);
        const idToken = toJwt(key, {
          ...{ iss: origin, aud: "hub", sub: "s1", nonce: "n", iat: now, exp: now + 60 },
          ...{ email: "ada@example.com", email_verified: true, ...claims },
        });
        const tokens = { access_token: "a", token_type: "Bearer" };
        return Response.json({ ...tokens, id_token: alter(idToken) });
      },
    });
    const issuer = host.url.origin;
    const party = createRelyingParty({
      settings: { issuer, clientId: "hub", readClientSecret: () => null },
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

  const toMetadata = (issuer: string) => ({
    ...{ issuer, authorization_endpoint: `${issuer}/authorize`, jwks_uri: `${issuer}/jwks` },
    token_endpoint: `${issuer}/token`,
  });
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  function toJwt(key: KeyObject | null, claims: Record<string, unknown>): string {
    const text = `${encode({ alg: key === null ? "none" : "RS256" })}.${encode(claims)}`;
    const signature =
      key === null ? "" : sign("sha256", Buffer.from(text), key).toString("base64url");
    return `${text}.${signature}`;
  }

  test("that the issuer signed vouches for its person", async () => {
    expect(await signInWith(own.privateKey)).toBe("ada@example.com");
  });

  test("that a stranger signed vouches for nobody, though it comes from the issuer's address", async () => {
    expect(await signInWith(strangers.privateKey)).toBe("forbidden");
  });

  test("that nobody signed vouches for nobody", async () => {
    expect(await signInWith(null)).toBe("forbidden");
  });

  test("whose claims were changed after it was signed vouches for nobody", async () => {
    const alter = (token: string) => {
      const [head, claims = "", signature] = token.split(".");
      const given = JSON.parse(Buffer.from(claims, "base64url").toString());
      return [head, encode({ ...given, email: "root@example.com" }), signature].join(".");
    };
    expect(await signInWith(own.privateKey, {}, alter)).toBe("forbidden");
  });

  test.each<[string, Record<string, unknown>]>([
    ["another client", { aud: "other" }],
    ["another issuer", { iss: "https://evil.example" }],
    ["another sign-in", { nonce: "other" }],
    ["an earlier time", { exp: 1 }],
  ])("for %s vouches for nobody", async (_, claims) => {
    expect(await signInWith(own.privateKey, claims)).toBe("forbidden");
  });
});
