import { describe, expect, test } from "bun:test";
import { readLines } from "./read-lines.ts";

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

function read(text: string | Uint8Array, { size = 65_536, bytesMax = 1000 } = {}) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return Array.fromAsync(readLines(cut(bytes, size), bytesMax), (line) =>
    line.kind === "text" ? line.text : line.kind,
  );
}

describe("readLines", () => {
  test.each([1, 2, 3, 7, 1000])("Chunks of %p bytes give the same lines", async (size) => {
    const text = 'one\n{"ü":"😀"}\r\n\n  \nlast';
    expect(await read(text, { size })).toEqual(["one", '{"ü":"😀"}\r', "last"]);
  });

  test("A byte order mark before a line is left out", async () => {
    expect(await read('\ufeff{"id":1}\n{"id":2}\n')).toEqual(['{"id":1}', '{"id":2}']);
  });

  test("A line of exactly the maximum length is accepted", async () => {
    const line = "x".repeat(10);
    expect(await read(`${line}\n`, { bytesMax: 10 })).toEqual([line]);
  });

  test.each([
    1, 4, 1000,
  ])("A longer line is skipped to its end, in chunks of %p bytes", async (size) => {
    const text = `before\n${"x".repeat(50)}\nafter\n`;
    expect(await read(text, { size, bytesMax: 10 })).toEqual(["before", "too_long", "after"]);
  });

  test("A line that is too long is reported before it ends", async () => {
    const endless = (async function* () {
      for (;;) yield new Uint8Array(100).fill(120);
    })();
    const lines = readLines(endless, 1000);
    expect((await lines.next()).value).toEqual({ kind: "too_long" });
  });

  test("The limit counts bytes, not characters", async () => {
    expect(await read("üüü\n", { bytesMax: 5 })).toEqual(["too_long"]);
    expect(await read("üüü\n", { bytesMax: 6 })).toEqual(["üüü"]);
  });

  test("Bytes that are not UTF-8 are reported, and reading continues", async () => {
    const bytes = Buffer.concat([Buffer.from('one\n"\xfc"\n', "latin1"), Buffer.from("ü\n")]);
    expect(await read(bytes)).toEqual(["one", "not_utf8", "ü"]);
  });
});
