import type { TestClient } from "../mcp-client.ts";

/** Between rounds of calls; the longer one while the test waits for none of them. */
const pauseMs = { waiting: 10, idle: 100 };

/** Calls of one user, one after the other, without an end. */
export type SteadyCalls = AsyncDisposable & {
  /** Resolves when this many more calls have been answered. Throws if any call has failed. */
  afterMore(count: number): Promise<void>;
};

export type SteadyTool = { toolId: string; params: Record<string, unknown> };

/** Calls these operations in turn, until it is disposed of. */
export function callSteadily(client: TestClient, tools: readonly SteadyTool[]): SteadyCalls {
  let failure: string | null = null;
  const waiting: { at: number; resolve: () => void }[] = [];
  let answered = 0;
  let isOver = false;
  let wanted = Promise.withResolvers<void>();

  async function callAll(): Promise<void> {
    while (!isOver) {
      for (const { toolId, params } of tools) {
        const { isError, text } = await client.execute(toolId, params);
        if (isError) failure ??= `${toolId}: ${text}`;
        answered += 1;
        const due = waiting.filter(({ at }) => at <= answered);
        for (const one of due) waiting.splice(waiting.indexOf(one), 1)[0]?.resolve();
      }
      if (waiting.length > 0) await Bun.sleep(pauseMs.waiting);
      else await Promise.race([wanted.promise, Bun.sleep(pauseMs.idle)]);
      wanted = Promise.withResolvers();
    }
  }

  const calls = callAll().catch((thrown) => {
    failure ??= String(thrown);
  });
  return {
    async afterMore(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ at: answered + count, resolve });
      wanted.resolve();
      await Promise.race([promise, calls]);
      if (failure !== null) throw new Error(`A call of the other user failed. ${failure}`);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await calls;
    },
  };
}
