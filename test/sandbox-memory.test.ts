/** Protects: no plaintext of a secret is ever in the memory of a process that runs a script. */
import { afterAll, expect, test } from "bun:test";
import { systemTimers as timers } from "@hub/server/lib/time/timers.ts";
import { createCodePool } from "@hub/server/sandbox/code-pool.ts";
import { createScriptSandbox } from "@hub/server/sandbox/create-script-sandbox.ts";
import { findCodeCommand } from "@hub/server/sandbox/find-code-command.ts";
import { openCodeProcess } from "@hub/server/sandbox/open-code-process.ts";
import type { ScriptQuestion } from "@hub/server/sandbox/script-sandbox.ts";
import { findInMemory, noMemorySearch } from "./support/search-memory.ts";

const command = findCodeCommand();
const pool = createCodePool({ timers, start: () => openCodeProcess({ command, timers }) });
afterAll(() => pool.close());

test.skipIf(noMemorySearch !== null)(
  `What is opened for a call is not in the sandbox${noMemorySearch === null ? "" : ` (${noMemorySearch})`}`,
  async () => {
    process.env.HUB_TEST_SECRET = `plain-of-environment-${crypto.randomUUID()}`;
    const secrets = new Map<string, string>();
    for (const name of ["param", "result", "error"]) {
      secrets.set(
        `hub_enc_${name}${crypto.randomUUID()}`,
        `plain-of-${name}-${crypto.randomUUID()}`,
      );
    }
    const [param = "", result = "", error = ""] = secrets.keys();
    const plain = [...secrets.values(), process.env.HUB_TEST_SECRET];
    const seen: Array<Set<string>> = [];
    const look = () => {
      const pids = pool.list().map(({ pid }) => pid);
      expect(pids).toHaveLength(1);
      for (const pid of pids) seen.push(findInMemory(pid, [...secrets.keys(), ...plain]));
    };
    const sandbox = createScriptSandbox({ pool, timers });
    const end = await sandbox.run(
      {
        ...{ ownerId: "ann", timeoutMs: 60_000, input: { token: param } },
        source: `
          const first = await call("a", { password: input.token });
          try { await call("b", first) } catch (thrown) { await call("c", [thrown.message]) }
          return first`,
        async answer(question: ScriptQuestion) {
          const toolId = question.kind === "call" ? question.toolId : "";
          // The hub opens the tokens, and seals what is secret again.
          const opened = [...secrets].reduce(
            (text, [token, secret]) => text.replaceAll(token, secret),
            JSON.stringify(question),
          );
          if (toolId === "a") expect(opened).toContain(plain[0] ?? "-");
          if (toolId === "c") look();
          return toolId === "b"
            ? { kind: "error", text: JSON.stringify({ message: `The upstream said ${error}.` }) }
            : { kind: "value", text: JSON.stringify({ key: result }) };
        },
      },
      new AbortController().signal,
    );
    look();
    expect(end).toMatchObject({ kind: "value", value: { key: result } });
    // While the script waits, its tokens are there, so the search finds what there is.
    expect(seen[0]).toEqual(new Set(secrets.keys()));
    for (const found of seen) expect([...found].filter((text) => plain.includes(text))).toEqual([]);
  },
);
