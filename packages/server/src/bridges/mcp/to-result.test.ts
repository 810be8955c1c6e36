import { expect, test } from "bun:test";
import { UnreadBody } from "../../lib/unread-body.ts";
import { toResult } from "./to-result.ts";

const text = (words: string) => ({ type: "text" as const, text: words });

test("Structured content stands for the text that repeats it", () => {
  const structuredContent = { total: 1 };
  expect(toResult({ content: [text('{"total": 1}')], structuredContent })).toEqual({ total: 1 });
});

test("A single text is its JSON, or itself", () => {
  expect(toResult({ content: [text(' {"a": [1]}')] })).toEqual({ a: [1] });
  expect(toResult({ content: [text("[not JSON")] })).toBe("[not JSON");
  expect(toResult({ content: [text("42")] })).toBe("42");
});

test("A large JSON text is parsed off the event loop", () => {
  const large = toResult({ content: [text(`[${"1,".repeat(200_000)}1]`)] });
  expect(large).toBeInstanceOf(UnreadBody);
});

test("Images, audio and binary resources are left out with a sentence", () => {
  const data = Buffer.from("a picture").toString("base64");
  const result = toResult({
    content: [
      text("Look:"),
      { type: "image", mimeType: "image/png", data },
      { type: "audio", mimeType: "audio/wav", data },
      { type: "resource", resource: { uri: "file:///a", blob: data } },
      { type: "resource", resource: { uri: "file:///b", text: "words" } },
      { type: "resource_link", uri: "file:///c", name: "c" },
    ],
    structuredContent: { a: 1 },
  });
  expect(JSON.stringify(result)).not.toContain(data);
  expect(result).toMatchObject({
    content: [
      { type: "text", text: "Look:" },
      { type: "image", bytes: 9, left_out: expect.any(String) },
      { type: "audio", left_out: expect.any(String) },
      { uri: "file:///a", left_out: expect.any(String) },
      { uri: "file:///b", text: "words" },
      { uri: "file:///c", name: "c" },
    ],
    structured: { a: 1 },
  });
});

test("An error is a failure with the words of the tool", () => {
  expect(() => toResult({ isError: true, content: [text("No.")] })).toThrow("The tool failed: No.");
  expect(() => toResult({ isError: true, content: [] })).toThrow("gives no reason");
});
