/** Protects: a reader of the database learns nothing about a flow without the id of its holder. */
import { expect, test } from "bun:test";
import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { hashArtifactId, openArtifact, sealArtifact } from "./seal-artifact.ts";

const payload = { grantId: "g1", codeChallenge: "abc" };

test("An artifact opens only with its id and model, and only unaltered", () => {
  const sealed = sealArtifact("RefreshToken", "the-id", payload);
  expect(openArtifact("RefreshToken", "the-id", sealed)).toEqual(payload);
  expect(() => openArtifact("RefreshToken", "another-id", sealed)).toThrow();
  expect(() => openArtifact("AuthorizationCode", "the-id", sealed)).toThrow();
  for (const place of [0, 12, 28, sealed.length - 1]) {
    const altered = sealed.with(place, (sealed[place] ?? 0) ^ 1);
    expect(() => openArtifact("RefreshToken", "the-id", altered)).toThrow();
  }
});

test("Sealing the same artifact twice gives different bytes", () => {
  const seal = () => Buffer.from(sealArtifact("RefreshToken", "the-id", payload)).toString("hex");
  expect(seal()).not.toBe(seal());
});

test("The key is derived from the id and the model; artifacts of an older hub open", () => {
  const sealed = Buffer.from(sealArtifact("RefreshToken", "the-id", payload));
  const derived = hkdfSync("sha256", "the-id", "RefreshToken", "hub-oauth-artifact-v1", 32);
  const cipher = createDecipheriv("aes-256-gcm", new Uint8Array(derived), sealed.subarray(0, 12));
  cipher.setAuthTag(sealed.subarray(12, 28));
  const text = Buffer.concat([cipher.update(sealed.subarray(28)), cipher.final()]);
  expect(JSON.parse(text.toString())).toEqual(payload);
});

test("An artifact is found by the SHA-256 of model and id, which cannot open it", () => {
  const hash = hashArtifactId("RefreshToken", "the-id");
  expect(Buffer.from(hash)).toEqual(createHash("sha256").update("RefreshToken:the-id").digest());
  const sealed = sealArtifact("RefreshToken", "the-id", payload);
  for (const id of [Buffer.from(hash).toString("hex"), Buffer.from(hash).toString("base64url")]) {
    expect(() => openArtifact("RefreshToken", id, sealed)).toThrow();
  }
});
