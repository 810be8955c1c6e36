import { expect, test } from "bun:test";
import { createServices } from "./services.ts";

async function openCodec() {
  const { connector } = await createServices();
  const method = connector.Calls;
  if (method === undefined) throw new Error("There is no method Calls.");
  return {
    read: (value: object) => method.responseDeserialize(method.responseSerialize(value)),
    method,
  };
}

test("A message of a plugin may have thousands of frames, masks and bytes", async () => {
  const { read } = await openCodec();
  const frames = Array.from({ length: 3_000 }, (_, at) => ({ call: at, chunk: { progress: at } }));
  expect(read({ frames })).toMatchObject({ frames });
  const data = Buffer.alloc(1_000_000);
  const [frame] = Object(read({ frames: [{ call: 1, chunk: { data } }] })).frames;
  expect(frame.call).toBe(1);
  // A matcher compares each byte as a member.
  expect(data.equals(frame.chunk.data)).toBe(true);
});

test("A message of a plugin with more than 50,000 fields is not decoded, wherever they are", async () => {
  const { read } = await openCodec();
  const empty = (count: number) => Array(count).fill("");
  expect(() => read({ frames: Array(60_000).fill({}) })).toThrow("more than 50000 fields");
  expect(() => read({ frames: [{ call: 1, chunk: { mask: empty(60_000) } }] })).toThrow(
    "more than 50000 fields",
  );
});

test("A message with unknown, deeply nested or broken fields is an error or is read, and never hangs", async () => {
  const { method } = await openCodec();
  const decode = (bytes: Buffer) => {
    try {
      method.responseDeserialize(bytes);
      return "read";
    } catch {
      return "error";
    }
  };
  expect(decode(Buffer.from([0x08, 1]))).toBe("read");
  expect(decode(Buffer.alloc(100_000, 0x0b))).toBe("error");
  expect(decode(Buffer.alloc(100_000, 0xff))).toBe("error");
});
