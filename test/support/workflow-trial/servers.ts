import { createDataFolder } from "../data-folder.ts";
import { findFreePort } from "../free-port.ts";
import { type RunningHub, startHub } from "../start-hub.ts";

/** One `hub serve` that keeps its folder and its port between starts. */
export type TrialServer = {
  url: string;
  /** Null while it is down. */
  hub: RunningHub | null;
  isPaused: boolean;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Ends it as a person would. */
  stop(): Promise<void>;
};

/** Servers on one PostgreSQL, or a single one on SQLite in a folder of its own. */
export async function startServers(
  count: number,
  { env, databaseUrl }: { env: Record<string, string>; databaseUrl: string | null },
): Promise<AsyncDisposable & { all: TrialServer[]; dataDir: string }> {
  await using resources = new AsyncDisposableStack();
  const all: TrialServer[] = [];
  let dataDir = "";
  for (let index = 0; index < count; index += 1) {
    const folder = resources.use(await createDataFolder());
    if (index === 0) dataDir = folder.path;
    const port = await findFreePort();
    let starts = 0;
    // The name of each process, by which the database knows who writes.
    const toUrl = () => `${databaseUrl}?application_name=server-${index}-${starts++}`;
    const server: TrialServer = {
      url: `http://127.0.0.1:${port}`,
      hub: null,
      isPaused: false,
      async start() {
        const options: Record<string, string> = { ...env, HUB_PORT: String(port) };
        if (databaseUrl !== null) options.HUB_DATABASE_URL = toUrl();
        server.hub = await startHub({ dataDir: folder.path, env: options });
      },
      async kill() {
        const { hub } = server;
        server.hub = null;
        await hub?.kill();
        await hub?.[Symbol.asyncDispose]();
      },
      async stop() {
        const { hub } = server;
        server.hub = null;
        const exitCode = await hub?.stop();
        if (exitCode !== 0) throw new Error(`A server ended with ${exitCode}:\n${hub?.stderr()}`);
        await hub?.[Symbol.asyncDispose]();
      },
    };
    resources.defer(() => server.kill());
    await server.start();
    all.push(server);
  }
  const owned = resources.move();
  return { all, dataDir, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
