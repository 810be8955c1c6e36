import { expect, test } from "bun:test";
import { createManualTimers } from "../time/manual-timers.ts";
import { createLogStream } from "./log-stream.ts";

/** A file that takes `bytesLeft` bytes, then fails with `code`. */
function openFile() {
  const file = { text: "", bytesLeft: Number.POSITIVE_INFINITY, code: "ENOSPC" };
  const timers = createManualTimers();
  const stream = createLogStream({
    timers,
    write(bytes) {
      if (file.bytesLeft === 0) throw Object.assign(new Error("cannot write"), { code: file.code });
      const part = bytes.subarray(0, file.bytesLeft);
      file.bytesLeft -= part.length;
      file.text += Buffer.from(part).toString();
      return part.length;
    },
  });
  const readLines = () => file.text.trimEnd().split("\n");
  return { file, stream, timers, readLines };
}

test.each([
  "ENOSPC",
  "EIO",
  "EDQUOT",
  "EPIPE",
  "EBADF",
])("A log that fails with %s loses lines, and says how many when it works again", (code) => {
  const { file, stream, readLines } = openFile();
  stream.write("first\n");
  Object.assign(file, { bytesLeft: 0, code });
  for (const line of ["a\n", "b\n", "c\n"]) stream.write(line);
  expect(stream.readLoss()).toEqual({ lines: 3, reason: code });

  file.bytesLeft = Number.POSITIVE_INFINITY;
  stream.write("last\n");
  const [first, told = "", last, ...rest] = readLines();
  expect([first, last, rest]).toEqual(["first", "last", []]);
  expect(JSON.parse(told)).toMatchObject({ level: 40, lost_lines: 3, reason: code });
  expect(stream.readLoss().lines).toBe(3);
});

test("After half a line, the next line begins on a line of its own", () => {
  const { file, stream, readLines } = openFile();
  file.bytesLeft = 3;
  stream.write("half\n");
  file.bytesLeft = Number.POSITIVE_INFINITY;
  stream.write("whole\n");
  const [half, told = "", whole, ...rest] = readLines();
  expect([half, whole, rest]).toEqual(["hal", "whole", []]);
  expect(JSON.parse(told)).toMatchObject({ lost_lines: 1 });
});

test("A reader that is slow gets its lines later, in their order, and those beyond 1 MiB are lost", () => {
  const { file, stream, timers, readLines } = openFile();
  Object.assign(file, { bytesLeft: 2, code: "EAGAIN" });
  const line = `${"x".repeat(1023)}\n`;
  for (let count = 0; count < 1_100; count += 1) stream.write(line);
  expect(timers.pending()).toBe(1);
  expect(stream.readLoss()).toEqual({ lines: 76, reason: "EAGAIN" });

  file.bytesLeft = Number.POSITIVE_INFINITY;
  timers.advance(100);
  stream.write("last\n");
  const lines = readLines();
  expect(lines.slice(0, 1_024)).toEqual(Array(1_024).fill(line.trimEnd()));
  expect(JSON.parse(lines[1_024] ?? "")).toMatchObject({ lost_lines: 76 });
  expect(lines.slice(1_025)).toEqual(["last"]);
});
