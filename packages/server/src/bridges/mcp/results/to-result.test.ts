import { expect, test } from "bun:test";
import type { ConnectorCall, ContentBlock } from "../../../connectors/connector-port.ts";
import { UnreadBody } from "../../../lib/streams/unread-body.ts";
import { readToolResult } from "./read-tool-result.ts";
import { toResult as toCheckedResult } from "./to-result.ts";

type Content = Record<string, unknown>[];
type Attach = ConnectorCall["attach"];

const toResult = (result: Record<string, unknown>, attach: Attach) =>
  toCheckedResult(readToolResult(result), attach);

const toBase64 = (words: string) => Buffer.from(words).toString("base64");
const fromBase64 = (base64: string) => Uint8Array.fromBase64(base64);
const png = Buffer.from("\x89PNG\r\n\x1a\n!", "latin1").toString("base64");

/** The result for this content, and the blocks that were attached. */
function read(content: Content, attach?: Attach) {
  const blocks: ContentBlock[] = [];
  const take: Attach = (block) => ({ block: blocks.push(block) });
  return { result: toResult({ content, structuredContent: { a: 1 } }, attach ?? take), blocks };
}

const refuse: Attach = () => {
  throw new Error("A text is not attached");
};

const text = (words: string) => ({ type: "text" as const, text: words });

test("Structured content stands for the text that repeats it", () => {
  const structuredContent = { total: 1 };
  expect(toResult({ content: [text('{"total": 1}')], structuredContent }, refuse)).toEqual({
    total: 1,
  });
});

test("A single text is its JSON, or itself", () => {
  expect(toResult({ content: [text(' {"a": [1]}')] }, refuse)).toEqual({ a: [1] });
  expect(toResult({ content: [text("[not JSON")] }, refuse)).toBe("[not JSON");
  expect(toResult({ content: [text("42")] }, refuse)).toBe("42");
});

test("A large JSON text is parsed off the event loop", () => {
  const large = toResult({ content: [text(`[${"1,".repeat(200_000)}1]`)] }, refuse);
  expect(large).toBeInstanceOf(UnreadBody);
});

test("Images, audio, resources and links are attached, and the result describes them", () => {
  const { result, blocks } = read([
    text("Look:"),
    { type: "image", mimeType: "image/png", data: png },
    { type: "audio", mimeType: "audio/mpeg", data: toBase64("a sound") },
    { type: "resource", resource: { uri: "file:///a", blob: toBase64("a\0b") } },
    { type: "resource", resource: { uri: "file:///b", mimeType: "text/plain", text: "words" } },
    { type: "resource_link", uri: "file:///c", name: "c", description: "See c", size: 3 },
  ]);
  expect(result).toEqual({
    content: [
      { type: "text", text: "Look:" },
      { type: "image", mime_type: "image/png", bytes: 9, block: 1 },
      { type: "audio", mime_type: "audio/mpeg", bytes: 7, block: 2 },
      { type: "resource", uri: "file:///a", bytes: 3, block: 3 },
      { type: "resource", uri: "file:///b", mime_type: "text/plain", bytes: 5, block: 4 },
      {
        type: "resource_link",
        uri: "file:///c",
        name: "c",
        description: "See c",
        size: 3,
        block: 5,
      },
    ],
    structured: { a: 1 },
  });
  expect(blocks.map(({ kind }) => kind)).toEqual([
    ...(["image", "audio", "resource", "resource", "resource_link"] as const),
  ]);
  expect(blocks[0]).toMatchObject({ members: { mimeType: "image/png" }, bytes: fromBase64(png) });
  expect(blocks[3]?.members).toEqual({ uri: "file:///b", mimeType: "text/plain", text: "words" });
});

test("What is not attached is left out with the reason; a text stays in the result", () => {
  const { result } = read(
    [
      { type: "image", mimeType: "image/png", data: png },
      { type: "resource", resource: { uri: "file:///b", text: "words" } },
    ],
    () => ({ left_out: "No." }),
  );
  expect(result).toMatchObject({
    content: [
      { type: "image", mime_type: "image/png", bytes: 9, left_out: "No." },
      { type: "resource", uri: "file:///b", text: "words" },
    ],
  });
});

test.each<[string, string, string, string]>([
  ["base64 that is not valid", "image/png", "???", "base64 is not valid"],
  ["HTML that says it is a picture", "image/png", toBase64("<html>"), "not of its media type"],
  ["a picture that says it is HTML", "text/html", png, "not of its media type"],
  ["a media type that is no media type", "image", png, "not of its media type"],
])("%s is left out", (_, mimeType, data, reason) => {
  const { result, blocks } = read([{ type: "image", mimeType, data }]);
  expect(result).toMatchObject({ content: [{ left_out: expect.stringContaining(reason) }] });
  expect(blocks).toEqual([]);
});

test("Names and addresses of links are one line without invisible characters, and cut", () => {
  const { blocks } = read([
    { type: "resource_link", uri: `file:///a\u202Eb${"c".repeat(3000)}`, name: "one\ntwo\u200B" },
  ]);
  const { uri, name } = blocks[0]?.members ?? {};
  expect(name).toBe("one two");
  expect(uri).toStartWith("file:///abccc");
  expect(uri).toHaveLength(2000);
});

test("An error is a failure with the words of the tool", () => {
  expect(() => toResult({ isError: true, content: [text("No.")] }, refuse)).toThrow(
    "The tool failed: No.",
  );
  expect(() => toResult({ isError: true, content: [] }, refuse)).toThrow("gives no reason");
});
