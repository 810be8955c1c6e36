import { expect, spyOn, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { formatToken, toHeaderBytes } from "../../../secrets/value-tokens/token-format.ts";
import { bodyBytesMax, findTextType, toRequestBody } from "./request-body.ts";

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const base64 = Buffer.from(everyByte).toString("base64");

function refusalOf(text: string, more: object = {}): string {
  try {
    toRequestBody({ body_base64: text, ...more }, undefined);
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown.message;
    throw thrown;
  }
  throw new Error("It was not refused.");
}

test("Bytes in base64 are sent as they are, with the given type or that of any bytes", () => {
  expect(toRequestBody({ body_base64: base64 }, undefined)).toEqual({
    content: everyByte,
    contentType: "application/octet-stream",
  });
  expect(toRequestBody({ body_base64: base64 }, "application/zip")?.contentType).toBe(
    "application/zip",
  );
  const lines = base64.replace(/.{76}/g, "$&\r\n");
  expect(toRequestBody({ body_base64: lines }, undefined)?.content).toEqual(everyByte);
  expect(toRequestBody({ body_base64: "" }, undefined)?.content).toEqual(new Uint8Array());
});

test.each([
  ["the signs of base64url", "-_8="],
  ["no padding", "YQ"],
  ["bits beyond the last byte", "YR=="],
  ["another sign", "YWI*"],
  ["text after the padding", "YQ==YQ=="],
])("Base64 with %s is refused", (_, text) => {
  expect(refusalOf(text)).toContain("body_base64 must be base64");
});

test("Bytes beside a body are refused, and more than 10 MiB of them", () => {
  expect(refusalOf(base64, { body: "x" })).toContain("cannot be given together with body");
  const most = Buffer.alloc(bodyBytesMax).toString("base64");
  expect(toRequestBody({ body_base64: most }, undefined)?.content).toHaveLength(bodyBytesMax);
  const more = Buffer.alloc(bodyBytesMax + 1).toString("base64");
  expect(refusalOf(more)).toContain("at most 10 MiB");
  expect(refusalOf(`*${"A".repeat(100_000_000)}`)).toContain("at most 10 MiB");
});

test("A value token among the bytes is refused, and the beginning of one is sent", () => {
  const bytes = (text: string) => Buffer.from(`\xff${text}\x00`, "latin1").toString("base64");
  const token = formatToken(
    toHeaderBytes({ version: 1, keyId: 1, ciphertextBytes: 40 }),
    new Uint8Array(40),
  );
  expect(refusalOf(bytes(token))).toContain("hub_enc_");
  expect(toRequestBody({ body_base64: bytes("hub_enc_") }, undefined)?.content).toHaveLength(10);
});

const plain = "text/plain;charset=utf-8";

test.each([
  ['{"a":1}', "application/json"],
  [" [1, 2]", "application/json"],
  ['{"a":1', plain],
  ["1", plain],
  ["{}{}", plain],
])("A text %s has the same type in one go and in steps", async (text, type) => {
  expect(toRequestBody({ body: text }, undefined)?.contentType).toBe(type);
  expect(await findTextType({ yieldToEventLoop: async () => {} }, text)).toBe(type);
});

test("A text of brackets is not parsed, which would hold the event loop for a second", () => {
  const parse = spyOn(JSON, "parse");
  try {
    const deep = "[".repeat(1_000) + "]".repeat(1_000);
    expect(toRequestBody({ body: deep }, undefined)?.contentType).toBe(plain);
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});
