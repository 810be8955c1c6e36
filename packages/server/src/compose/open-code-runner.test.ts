import { afterAll, expect, test } from "bun:test";
import { createLog } from "../lib/logs/create-log.ts";
import type { ScriptReply } from "../sandbox/script-sandbox.ts";
import { openCodeRunner } from "./open-code-runner.ts";

const code = openCodeRunner({ log: createLog("silent") });
afterAll(() => code.close());

test("A script that waits for its calls holds up no node of the same user, and is counted", async () => {
  const never = new AbortController().signal;
  const asked = Promise.withResolvers<void>();
  const reply = Promise.withResolvers<ScriptReply>();
  const run = (source: string) =>
    code.sandbox.run(
      {
        ...{ ownerId: "ann", source, input: null, timeoutMs: 60_000 },
        answer() {
          asked.resolve();
          return reply.promise;
        },
      },
      never,
    );
  const first = run("return await call('a')");
  await asked.promise;
  const second = run("return 2");
  const shared = { event: {}, node: {}, env: {} };
  const node = { ownerId: "ann", source: "return 3", timeoutMs: 10_000 };
  const inputs = { shared, scope: null };
  expect(await code.runner.run({ ...node, inputs, recordLogs() {} }, never)).toBe(3);
  expect(code.count()).toMatchObject({
    busy: 1,
    idle: 1,
    waiting: { run: 0, check: 0, script: 1 },
  });
  reply.resolve({ kind: "value", text: "1" });
  expect(await Promise.all([first, second])).toMatchObject([{ value: 1 }, { value: 2 }]);
  expect(code.count()).toMatchObject({ busy: 0, idle: 2, waiting: { script: 0 } });
});
