/** Protects: what a workflow reads of a body is what its sender wrote, in any of the usual forms. */
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Json } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { readPayload } from "./read-payload.ts";
import { unpackBody, webhookBytesMax } from "./unpack-body.ts";
import { openWebhookPayload } from "./webhook-payload.ts";

const yieldToEventLoop = async () => {};

/** What templates read of a request that was accepted. */
async function receive(type: string | null, body: string | Uint8Array) {
  const raw = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const headers = new Headers(type === null ? {} : { "content-type": type });
  const request = { method: "POST", slug: "", headers, query: new URLSearchParams(), raw };
  const payload = await readPayload({ yieldToEventLoop }, request);
  const opened = openWebhookPayload(JSON.parse(JSON.stringify(payload)), raw);
  return opened as Record<string, Json>;
}

async function refuse(type: string | null, body: string | Uint8Array) {
  const thrown = await receive(type, body).catch((err: unknown) => err);
  if (!(thrown instanceof HubError)) throw new Error(`Not refused: ${type}`);
  return { code: thrown.code, message: thrown.message };
}

const cafe = Uint8Array.from([0x22, 0x63, 0x61, 0x66, 0xe9, 0x22]);

describe("Types of JSON", () => {
  test.each([
    ["application/json"],
    ["text/json"],
    ["Text/JSON; charset=utf-8"],
    ["application/problem+json"],
    ["application/vnd.github.v3+json"],
    ["application/cloudevents+json; charset=UTF-8"],
    ["application/ld+json;profile=x"],
    ["model/gltf+json"],
    ["image/x.y+json"],
    ["application/reports+json"],
    ["APPLICATION/SCIM+JSON"],
  ])("%s is parsed", async (type) => {
    expect((await receive(type, '{"a":1}')).body).toEqual({ a: 1 });
  });

  test.each([
    ["text/plain"],
    ["application/jsonx"],
    ["application/x-ndjson"],
    ["text/json5"],
    ["+json"],
    ["application/+json"],
    ["a b/c+json"],
    ["application/json-seq"],
    ["application/octet-stream"],
    [null],
  ])("%p is not", async (type) => {
    const payload = await receive(type, '{"a":1}');
    expect(["body" in payload, payload.raw]).toEqual([false, '{"a":1}']);
  });
});

describe("Charsets", () => {
  test.each([
    ["application/json; charset=iso-8859-1", cafe, "café"],
    ['application/json; charset="ISO-8859-1"', cafe, "café"],
    ["application/json;CHARSET=latin1", cafe, "café"],
    ["application/json; a=b; charset=windows-1252", cafe, "café"],
    ["application/json; charset=us-ascii", cafe, "café"],
    ["application/json; charset=utf-8; charset=latin1", new TextEncoder().encode('"café"'), "café"],
    ["application/json; charset=UTF8", new TextEncoder().encode('\ufeff"café"'), "café"],
    ["application/json; charset=utf-16le", Buffer.from('"café"', "utf16le"), "café"],
    ["application/json; charset=windows-1251", Uint8Array.from([0x22, 0xe9, 0x22]), "й"],
    ["application/json; charset=shift_jis", Uint8Array.from([0x22, 0x82, 0xa0, 0x22]), "あ"],
    ["application/json; charset=gbk", Uint8Array.from([0x22, 0xc4, 0xe3, 0x22]), "你"],
    ["application/json; charset=", new TextEncoder().encode('"café"'), "café"],
  ])("A body of %s is read by it", async (type, bytes, value) => {
    const payload = await receive(type, bytes);
    expect([payload.body, payload.raw]).toEqual([value, `"${value}"`]);
  });

  test("Texts and forms are read by their charset, and bytes that are no text have none", async () => {
    expect((await receive("text/plain; charset=iso-8859-1", cafe)).raw).toBe('"café"');
    const form = "application/x-www-form-urlencoded; charset=windows-1251";
    const sent = Buffer.concat([
      Buffer.from("a=%E9+x&b="),
      Uint8Array.from([0xe9]),
      Buffer.from("&a=2&c"),
    ]);
    expect((await receive(form, sent)).body).toEqual({ a: "й x", b: "й", c: "" });
    expect((await receive("application/zip; charset=binary", cafe)).raw_base64).toBe(
      Buffer.from(cafe).toString("base64"),
    );
  });

  test.each([
    ["application/json; charset=utf-7"],
    ["application/json; charset=none"],
    ["text/plain; charset=ebcdic"],
    ["application/x-www-form-urlencoded; charset=x"],
    ["application/xml; charset=utf-32"],
    ["application/vnd.a+json; charset=replacement"],
  ])("%s is refused with a sentence that names the charset", async (type) => {
    const { code, message } = await refuse(type, "1");
    expect(code).toBe("unsupported_media_type");
    expect(message).toContain(`"${type.split("=")[1]}"`);
  });

  test("Bytes that are not in the charset are no JSON, and large bodies in slow charsets are refused", async () => {
    expect((await refuse("application/json", cafe)).code).toBe("bad_request");
    expect((await refuse("application/json; charset=utf-16le", cafe.slice(1))).code).toBe(
      "bad_request",
    );
    const large = new Uint8Array(1024 * 1024 + 1).fill(0x20);
    expect((await refuse("application/json; charset=big5", large)).code).toBe("body_too_large");
  });
});

describe("Bytes", () => {
  test("Bytes that are no text can be read whole, as base64", async () => {
    const bytes = Uint8Array.from([0xff, 0x00, 0xfe]);
    const payload = await receive("application/octet-stream", bytes);
    expect(payload.raw_base64).toBe("/wD+");
    expect(JSON.parse(JSON.stringify(payload)).raw_base64).toBe("/wD+");
  });

  test("Beside text, base64 can be read and is not listed", async () => {
    const payload = await receive("application/json", '{"a":1}');
    expect(payload.raw_base64).toBe(Buffer.from('{"a":1}').toString("base64"));
    expect(JSON.stringify(payload)).not.toContain("raw_base64");
  });

  test("What is made of a body counts, once, and only when it is read", async () => {
    const held: number[] = [];
    const raw = new Uint8Array(3000).fill(0xff);
    const payload = Object(openWebhookPayload({ headers: {} }, raw, (chars) => held.push(chars)));
    expect(held).toEqual([]);
    expect([payload.raw_base64.length, payload.raw_base64.length]).toEqual([4000, 4000]);
    expect(held).toEqual([4000]);
    expect(payload.raw).toHaveLength(3000);
    expect(held).toEqual([4000, 3000]);
  });

  test("A large body that is no text is text without its other letters", async () => {
    const raw = Buffer.concat([Buffer.alloc(1024 * 1024, "a"), Uint8Array.from([0xff, 0x41])]);
    const text = String((await receive("text/plain", raw)).raw);
    expect([text.length, text.slice(-3)]).toEqual([raw.length, "a\ufffdA"]);
  });
});

describe("Content-Encoding", () => {
  const text = JSON.stringify({ a: "x".repeat(100) });
  const unpack = async (encoding: string | null, raw: Uint8Array, hold = (_: number) => {}) =>
    Buffer.from(await unpackBody(encoding, raw, hold)).toString();
  const fail = async (encoding: string, raw: Uint8Array) => {
    const thrown = await unpackBody(encoding, raw, () => {}).catch((err: unknown) => err);
    if (!(thrown instanceof HubError)) throw new Error("Not refused");
    return thrown;
  };

  test.each([
    ["gzip", gzipSync(text)],
    ["GZIP", gzipSync(text)],
    [" x-gzip ", gzipSync(text)],
    ["gzip", Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
    ["identity", Buffer.from(text)],
    ["", Buffer.from(text)],
    [null, Buffer.from(text)],
  ])("A body with %p is read", async (encoding, raw) => {
    expect(await unpack(encoding, raw)).toBe(text);
  });

  test.each([
    "br",
    "deflate",
    "zstd",
    "compress",
    "gzip, gzip",
    "gzip, br",
    "aes128gcm",
    "*",
    "gzip;q=1",
    "identity, br",
  ])("%s is refused, with what is accepted", async (encoding) => {
    const { code, detail } = await fail(encoding, gzipSync(text));
    expect([code, detail.accept_encoding]).toEqual(["unsupported_media_type", "gzip"]);
  });

  test.each([
    ["no gzip", Buffer.from(text)],
    ["nothing", Buffer.alloc(0)],
    ["half of it", gzipSync(text).subarray(0, 20)],
    ["a wrong checksum", Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)])],
    ["something behind it", Buffer.concat([gzipSync(text), Buffer.from("trash")])],
  ])("%s is not valid", async (_, raw) => {
    expect((await fail("gzip", raw)).code).toBe("bad_request");
  });

  test("A small body that unpacks to much is refused while it is unpacked, and each part counts", async () => {
    const bomb = gzipSync(Buffer.alloc(4 * webhookBytesMax));
    let held = 0;
    const hold = (bytes: number) => {
      held += bytes;
    };
    const thrown = await unpackBody("gzip", bomb, hold).catch((err: unknown) => err);
    expect(thrown).toMatchObject({ code: "body_too_large" });
    expect(held).toBeLessThanOrEqual(webhookBytesMax);
    expect(held).toBeGreaterThan(webhookBytesMax / 2);
    const refusal = new HubError("rate_limited", "Later.");
    const full = () => {
      throw refusal;
    };
    expect(await unpackBody("gzip", bomb, full).catch((err: unknown) => err)).toBe(refusal);
  });
});

test("A form in another charset keeps percent signs that are no escapes", async () => {
  const type = "application/x-www-form-urlencoded; charset=shift_jis";
  const { body } = await receive(type, "a=%82%A0+%zz%4&b=%&%82%a0=%41%%42&a=2");
  expect(body).toEqual({ a: "あ %zz%4", b: "%", あ: "A%B" });
});
