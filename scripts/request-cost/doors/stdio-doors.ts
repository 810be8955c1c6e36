import { toStdioCommand } from "../../../test/support/stdio-command.ts";
import type { Attack, Door, Prepared } from "../door.ts";
import { listHostile } from "../list-attacks.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, writeJson } from "../shapes.ts";

const frameBytesMax = 3.5 * 1024 * 1024;

/** `hub mcp serve`: what a client writes to its standard input. */
export async function openStdioDoors(fixture: CostFixture): Promise<Door[]> {
  const session = fixture.own(openSession(fixture));
  await session.ping();
  const attacks: Record<string, Attack> = {};
  const add = (name: string, kind: Attack["kind"], make: (bytes: number) => string) =>
    Object.assign(attacks, {
      [name]: { kind, prepare: (bytes: number) => session.prepare(make(bytes)) },
    });
  const toCall = (params: unknown) =>
    `${writeJson({ jsonrpc: "2.0", id: "call", method: "tools/call", params })}\n`;
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`line: ${shape}`, kind, (bytes) => `${make(bytes).replaceAll("\n", " ")}\n`);
    add(`query: ${shape}`, kind, (bytes) =>
      toCall({ name: "hub_search", arguments: { query: make(bytes) } }),
    );
  }
  for (const [name, kind, make] of listHostile({ _meta: {} })) {
    add(`params, ${name}`, kind, (bytes) => toCall(make(bytes)));
  }
  const ping = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
  const addMany = (name: string, kind: Attack["kind"], frame: string, countMax: number) => {
    const prepare = (bytes: number) => {
      const requests = Math.min(countMax, Math.floor(bytes / frame.length));
      return { ...session.prepare(frame.repeat(requests)), requests };
    };
    attacks[name] = { kind, prepare };
  };
  addMany("many frames", "number", ping, Number.POSITIVE_INFINITY);
  const call = toCall({ name: "hub_list", arguments: {} });
  addMany("many calls at once", "parallelism", call, 200);
  add("empty lines", "number", (bytes) => "\n".repeat(bytes));
  attacks["a line in chunks of one byte"] = {
    kind: "chunking",
    bytesMax: 64 * 1024,
    prepare: (bytes) => session.prepare(`${"x".repeat(bytes)}\n`, { isInBytes: true }),
  };
  attacks["a line without its end"] = {
    kind: "idling",
    prepare: (bytes) => session.prepare("x".repeat(bytes), { isEnded: false }),
  };
  attacks["answers that are not read"] = {
    kind: "idling",
    bytesMax: 64 * 1024,
    prepare: (bytes) => {
      const requests = Math.floor(bytes / call.length);
      return { ...session.prepare(call.repeat(requests), { isRead: false }), requests };
    },
  };
  const { pid } = session;
  return [{ group: "stdio", name: "mcp serve", bytesMax: frameBytesMax, attacks, pid: () => pid }];
}

type Ways = { isEnded?: boolean; isInBytes?: boolean; isRead?: boolean };
type Session = AsyncDisposable & {
  pid: number;
  ping(): Promise<void>;
  prepare(text: string, ways?: Ways): Prepared;
};

function openSession({ hub, main }: CostFixture): Session {
  const { command, args, env, cwd } = toStdioCommand({ dataDir: hub.dataDir, main });
  const child = Bun.spawn([command, ...args], {
    env,
    cwd,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  let pings = 0;
  let tail = "";
  let isRead = true;
  let wake = () => {};
  const awoken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  void (async () => {
    for await (const chunk of child.stdout) {
      tail = (tail + Buffer.from(chunk).toString("latin1")).slice(-4_096);
      wake();
      while (!isRead) await Bun.sleep(10);
    }
  })();
  /** Resolves when everything before it has been read, since frames are read in their order. */
  async function ping(): Promise<void> {
    pings += 1;
    const id = `ping-${pings}`;
    await child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
    await child.stdin.flush();
    const endsAt = performance.now() + 60_000;
    while (!tail.includes(`"${id}"`) && performance.now() < endsAt) {
      await Promise.race([awoken(), Bun.sleep(100)]);
    }
  }
  return {
    pid: child.pid,
    ping,
    prepare: (text, ways = {}) => ({
      bytes: text.length,
      async run() {
        isRead = ways.isRead !== false;
        for (const part of ways.isInBytes === true ? text : [text]) {
          await child.stdin.write(part);
          await child.stdin.flush();
        }
        if (ways.isEnded === false || !isRead) await Bun.sleep(1_500);
        isRead = true;
        if (ways.isEnded === false) await child.stdin.write("\n");
        await ping();
        return child.exitCode === null ? "read" : `ended with ${child.exitCode}`;
      },
    }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
