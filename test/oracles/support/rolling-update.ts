import { z } from "zod";
import type { ServerOf } from "./old-server.ts";
import { callTool, defineHub, runCommand, startHubOf, waitUntil } from "./upgrade-hub.ts";

type Update = {
  /** The checkout of each version. */
  older: string;
  newer: string;
  databaseUrl: string;
  /** Data folders of the four servers, which run one after the other in pairs. */
  folders: readonly [string, string, string, string];
};

/** How often the balancer asks each server whether it is ready. */
const probeMs = 100;
const clients = 4;
const callsBetween = 200;

/**
 * Replaces two servers of a PostgreSQL database by two of the next version, one after the other, while clients call
 * through a balancer that does not repeat a call. Returns the number of calls and what failed.
 */
export async function updateUnderLoad(
  update: Update,
): Promise<{ calls: number; faults: string[] }> {
  const hubs = update.folders.map((folder) => defineHub(folder, update.databaseUrl));
  const start = (checkout: string, index: number) => {
    const hub = hubs[index];
    if (hub === undefined) throw new Error("There is no such folder.");
    return startHubOf(checkout, hub, { HUB_DRAIN_SECONDS: "2" });
  };
  await using servers = new AsyncDisposableStack();
  const balancer = createBalancer();
  const add = async (checkout: string, index: number) => {
    const server = servers.use(await start(checkout, index));
    balancer.add(server);
    await waitUntil(async () => balancer.listReady().includes(server));
    return server;
  };
  const stop = async (server: ServerOf) => {
    await server[Symbol.asyncDispose]();
    balancer.remove(server);
  };
  const first = await add(update.older, 0);
  const second = await add(update.older, 1);
  const { token, tool } = await makeUser(update.older, hubs[0]);
  let calls = 0;
  let isOver = false;
  const faults: string[] = [];
  const call = async () => {
    while (!isOver) {
      calls += 1;
      const server = balancer.choose();
      await callTool(server.url, token, tool, {}).catch((err) => faults.push(String(err)));
    }
  };
  const load = Array.from({ length: clients }, call);
  const goOn = async () => {
    const until = calls + callsBetween;
    await waitUntil(async () => calls >= until);
  };
  try {
    await goOn();
    await add(update.newer, 2);
    await goOn();
    await stop(first);
    await goOn();
    await add(update.newer, 3);
    await stop(second);
    await goOn();
  } finally {
    isOver = true;
    await Promise.all(load);
    balancer.close();
  }
  return { calls, faults };
}

async function makeUser(checkout: string, hub: ReturnType<typeof defineHub> | undefined) {
  if (hub === undefined) throw new Error("There is no hub.");
  await runCommand(checkout, hub, ["user", "add", "load@localhost", "--admin"]);
  const named = ["--user", "load@localhost", "--name", "load"];
  const created = await runCommand(checkout, hub, ["token", "create", ...named]);
  const { token } = z.object({ token: z.string() }).parse(created);
  const rows = z
    .array(z.object({ id: z.string(), connector: z.string() }))
    .parse(await runCommand(checkout, hub, ["row", "list"]));
  const own = rows.find(({ connector }) => connector === "hub");
  if (own === undefined) throw new Error("The hub has no row of its own.");
  return { token, tool: `conn:${own.id}/whoami` };
}

/** Gives each call to the next server that was ready when it was asked last. */
function createBalancer() {
  const ready = new Map<ServerOf, boolean>();
  let round = 0;
  const probe = setInterval(() => {
    for (const server of ready.keys()) {
      void fetch(`${server.url}/ready`)
        .then(({ ok }) => ready.has(server) && ready.set(server, ok))
        .catch(() => ready.has(server) && ready.set(server, false));
    }
  }, probeMs);
  const listReady = () => [...ready].filter(([, isReady]) => isReady).map(([server]) => server);
  return {
    add: (server: ServerOf) => void ready.set(server, false),
    remove: (server: ServerOf) => void ready.delete(server),
    listReady,
    choose(): ServerOf {
      const servers = listReady();
      const server = servers[round++ % servers.length];
      if (server === undefined) throw new Error("No server is ready.");
      return server;
    },
    close: () => clearInterval(probe),
  };
}
