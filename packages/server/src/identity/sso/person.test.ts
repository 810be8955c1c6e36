import { describe, expect, test } from "bun:test";
import { toPerson as readPerson } from "./person.ts";

const claims = { iss: "https://id.example.com", sub: "1", email: "Ada@Example.com" };
const toPerson = (given: unknown, trustsEmail = false, verifiedDomains: string[] = []) =>
  readPerson(given, { trustsEmail, verifiedDomains });

describe("an e-mail", () => {
  test("An e-mail is in lower case, and verified if the issuer says so", () => {
    expect(toPerson({ ...claims, email_verified: true })).toMatchObject({
      email: "ada@example.com",
      isEmailVerified: true,
    });
    expect(toPerson({ ...claims, email_verified: "true" }).isEmailVerified).toBeTrue();
  });

  test("An e-mail of a domain that an admin named is verified if the issuer does not say", () => {
    const verify = (given: object) =>
      toPerson({ ...claims, ...given }, false, ["example.com"]).isEmailVerified;
    expect([verify({}), verify({ email_verified: null })]).toEqual([true, true]);
    expect(verify({ email_verified: false })).toBeFalse();
    for (const email of ["a@evil.example", "a@sub.example.com", "example.com@evil.example"]) {
      expect(verify({ email })).toBeFalse();
    }
  });

  test.each([
    undefined,
    null,
    false,
    "false",
    1,
    "yes",
    {},
  ])("An e-mail is not verified by email_verified %p", (email_verified) => {
    expect(toPerson({ ...claims, email_verified }).isEmailVerified).toBeFalse();
  });

  test.each([
    undefined,
    null,
  ])("An e-mail with email_verified %p is verified if the settings trust the issuer", (email_verified) => {
    expect(toPerson({ ...claims, email_verified }, true).isEmailVerified).toBeTrue();
  });

  test.each([
    false,
    "false",
    1,
    "yes",
    {},
  ])("An e-mail with email_verified %p is not verified, even if the settings trust the issuer", (email_verified) => {
    expect(toPerson({ ...claims, email_verified }, true).isEmailVerified).toBeFalse();
  });

  test.each([
    "\u212aim@example.com",
    "a@b@example.com",
    "a b@example.com",
    "a@",
    "@b",
    7,
    null,
  ])("%p is not a valid e-mail of a person", (email) => {
    expect(toPerson({ ...claims, email }).email).toBeNull();
  });
});

test("A name is one line without invisible characters", () => {
  expect(toPerson({ ...claims, name: " Ada\u202e\n Lovelace " }).name).toBe("Ada Lovelace");
  expect(toPerson({ ...claims, name: "\u200b" }).name).toBeNull();
  expect(toPerson({ ...claims, name: "x".repeat(200) }).name).toHaveLength(100);
});

test.each([
  undefined,
  null,
  7,
  {},
])("A name of %p is no name, and the person can sign in", (name) => {
  expect(toPerson({ ...claims, name })).toMatchObject({ subject: "1", name: null });
});

test("Claims without a subject, or with a longer issuer or subject than the standard allows, are refused", () => {
  expect(() => toPerson({ ...claims, sub: "" })).toThrow();
  const longest = { ...claims, iss: "i".repeat(500), sub: "s".repeat(255) };
  expect(toPerson(longest)).toMatchObject({ issuer: longest.iss, subject: longest.sub });
  expect(() => toPerson({ ...longest, iss: `${longest.iss}i` })).toThrow();
  expect(() => toPerson({ ...longest, sub: `${longest.sub}s` })).toThrow();
});
