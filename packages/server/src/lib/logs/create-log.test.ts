import { expect, test } from "bun:test";
import { createManualTimers } from "../time/manual-timers.ts";
import { createLog } from "./create-log.ts";

function open() {
  const lines: Array<Record<string, unknown>> = [];
  const timers = createManualTimers();
  const stream = {
    write: (line: string) => void lines.push(JSON.parse(line)),
    readLoss: () => ({ lines: 0, reason: null }),
  };
  return { log: createLog("info", { timers, stream }), lines, timers };
}

test("A log line contains its fields and its message, and nothing else", () => {
  const { log, lines } = open();
  log.warn({ code: "not_found" }, "Refused requests");
  log.info("started");
  log.debug("not so loud");
  expect(lines).toMatchObject([
    { level: 40, code: "not_found", msg: "Refused requests" },
    { level: 30, msg: "started" },
  ]);
});

test("A connector that logs without end is limited and does not hide other lines", () => {
  const { log, lines, timers } = open();
  for (let line = 0; line < 10_000; line += 1) log.info({ connector: "chatty" }, `line ${line}`);
  log.info({ connector: "quiet" }, "here");
  log.error({ err: new Error("own") }, "a call failed");
  expect(lines).toHaveLength(603);
  expect(lines.slice(-3)).toMatchObject([
    { kind: "connector chatty", msg: expect.stringContaining("omitted") },
    { connector: "quiet" },
    { msg: "a call failed" },
  ]);
  timers.advance(60_000);
  log.info({ connector: "chatty" }, "again");
  expect(lines.slice(-2)).toMatchObject([
    { msg: expect.stringMatching(/^9400 lines/) },
    { connector: "chatty", msg: "again" },
  ]);
});
