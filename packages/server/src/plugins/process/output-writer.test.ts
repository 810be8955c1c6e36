import { expect, test } from "bun:test";
import { createOutputWriter } from "./output-writer.ts";
import { createPluginLog } from "./plugin-log.ts";

/** A writer with the lines that it wrote, and the times that it rests. */
function open() {
  const lines: string[] = [];
  const rests: number[] = [];
  const timers = {
    after(ms: number, action: () => void) {
      rests.push(ms);
      action();
      return () => {};
    },
  };
  const log = { writeLine: (line: string) => void lines.push(line) };
  return { writer: createOutputWriter({ timers, log }), lines, rests };
}

test("A plugin's output waits when it has more lines or bytes than its pace", async () => {
  const { writer, lines, rests } = open();
  expect(writer.write(Buffer.from("one\ntwo"))).toBeNull();
  expect(lines).toEqual(["one", "two"]);
  await writer.write(Buffer.from("x\n".repeat(5_000)));
  expect(rests.at(-1)).toBeCloseTo(5_003);
  await writer.write(Buffer.alloc(1024 * 1024, "x"));
  expect(rests.at(-1)).toBe(4_000);
  expect(lines.at(-1)).toBe("A longer line was omitted.");
  for (let count = 0; count < 200; count += 1) writer.write(Buffer.from("x"));
  expect(rests).toHaveLength(4);
});

test("A plugin's lines are one kind, of which the log has 600 in a minute", () => {
  const written: string[] = [];
  const write = (_: object, message: string) => void written.push(message);
  const log = { debug: write, info: write, warn: write, error: write };
  const plugin = createPluginLog({ log, timers: { now: () => 0 } }, "a");
  for (let count = 0; count < 5_000; count += 1) plugin.writeLine(`line ${count}`);
  expect(written).toHaveLength(601);
  expect(written.at(-1)).toContain("further ones are omitted");
});
