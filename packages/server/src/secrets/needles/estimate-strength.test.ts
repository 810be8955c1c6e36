import { expect, test } from "bun:test";
import { estimateBits, isWeakSecret } from "./estimate-strength.ts";

test.each([
  "hunter2",
  "Summer2024!",
  "P@ssw0rd123",
  "Tr0ub4dor&3",
  "correct horse battery staple",
  "MyCompanySecret2023!!",
  "super-secret-password-for-the-database",
  "1qaz2wsx3edc4rfv",
  "qwertyuiop1234567890",
  "0123456789012345",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "abcabcabcabcabcabcabcabc",
  "deadbeefcafebabe",
  "20240131-4711",
  // The password alone is secret.
  "postgres://postgres:hunter22@db.example.com:5432/orders_of_the_shop",
  // The base64 and the hex of a password.
  "dXNlcjpwYXNzd29yZA==",
  "68756e746572323268756e7465723333",
  "4711",
  "пароль2024",
])("A secret that people choose is weak: %s", (secret) => {
  expect(isWeakSecret(secret)).toBe(true);
});

test.each([
  "a3f5c9e17b2d4860",
  "550e8400-e29b-41d4-a716-446655440000",
  "xK9mP2vL5nQ8",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "JBSWY3DPEHPK3PXP",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  "https://hooks.slack.com/services/T00000000/B00000000/Xy12AbCdEfGhIjKlMnOpQrSt",
  `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC/BKcwggSjAgEAAoIBAQC7"}\n-----END PRIVATE KEY-----\n`,
])("A secret that a program made is strong: %s", (secret) => {
  expect(isWeakSecret(secret)).toBe(false);
});

test("An empty secret is not weak, because it is none", () => {
  expect(isWeakSecret("  ")).toBe(false);
});

test("The work does not grow with a secret that is long", () => {
  expect(estimateBits("x9".repeat(500_000))).toBe(estimateBits("x9".repeat(256)));
});
