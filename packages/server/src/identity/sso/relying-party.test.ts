import { expect, test } from "bun:test";
import { sealAtRest } from "../../secrets/at-rest.ts";
import { createKeyRing } from "../../secrets/key-ring.ts";
import { createRelyingParty } from "./relying-party.ts";
import { attemptMsMax, findAttempt, sealAttempt } from "./sealed-attempt.ts";

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
  await expect(finish(attemptMsMax - 1)).rejects.toMatchObject({ code: "upstream_error" });
  await expect(finish(attemptMsMax)).rejects.toMatchObject({ code: "forbidden" });
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
