import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import type { ExitInfo, PluginChild } from "./spawn-plugin.ts";
import { waitForHandshake } from "./wait-for-handshake.ts";

const line = "1|2|unix|/tmp/plugin1|grpc|";

/** A program that prints lines. `print` returns whether the hub takes the line. */
function startProgram() {
  const timers = createManualTimers();
  const { promise: exited, resolve: exit } = Promise.withResolvers<ExitInfo>();
  let take: (line: string) => boolean = () => false;
  const child: PluginChild = {
    leader: { pid: 1, startedAt: null },
    exited,
    findExit: () => null,
    kill() {},
    read: Promise.resolve(),
    readStdout(given) {
      take = given;
    },
  };
  const handshake = waitForHandshake({ timers }, child);
  return { handshake, timers, exit, print: (text: string) => take(text) };
}

test("Only the first handshake counts: lines before and after it are log output", async () => {
  const { handshake, print, timers } = startProgram();
  expect(["starting", line, line, "ready"].map(print)).toEqual([false, true, false, false]);
  expect(await handshake).toMatchObject({ app: 2, address: "/tmp/plugin1" });
  expect(timers.pending()).toBe(0);
});

test("A program that is not ready within a minute is refused", async () => {
  const { handshake, timers } = startProgram();
  timers.advance(60_000);
  await expect(handshake).rejects.toThrow("it was not ready within 60 s");
});

test("A program that ends before its handshake is refused", async () => {
  const { handshake, exit, timers } = startProgram();
  exit({ code: 3, signal: null });
  await expect(handshake).rejects.toThrow("before it was ready");
  expect(timers.pending()).toBe(0);
});
