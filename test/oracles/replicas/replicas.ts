import { join } from "node:path";
import { createDataFolder, type DataFolder } from "../../support/data-folder.ts";
import { findFreePort } from "../../support/free-port.ts";
import { type RunningHub, startHub } from "../../support/start-hub.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

/** One `hub serve` with a data folder and a port that survive its restarts. */
export type Replica = {
  port: number;
  /** Null between a kill and the next start. */
  hub: RunningHub | null;
  isPaused: boolean;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<number>;
  pause(): void;
  resume(): void;
};

export type Replicas = AsyncDisposable & { url: string; all: Replica[]; balancer: Balancer };

/** The fixture hub, so that there is an operation for each outcome. */
const main = join(import.meta.dirname, "../../support/fixture-hub.ts");

/** Starts servers on one database, each with its own folder, behind nginx. */
export async function startReplicas(count: number, env: Record<string, string>): Promise<Replicas> {
  await using resources = new AsyncDisposableStack();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const shared = {
    ...env,
    HUB_BASE_URL: url,
    HUB_TRUSTED_PROXIES: "127.0.0.1",
    HUB_DRAIN_SECONDS: "1",
  };
  const all: Replica[] = [];
  for (let index = 0; index < count; index += 1) {
    const folder = resources.use(await createDataFolder());
    const replica = createReplica(folder, await findFreePort(), shared);
    resources.defer(async () => await replica.kill());
    await replica.start();
    all.push(replica);
  }
  const ports = all.map((replica) => replica.port);
  const balancer = resources.use(await startBalancer(port, ports));
  const owned = resources.move();
  return { url, all, balancer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function createReplica(folder: DataFolder, port: number, env: Record<string, string>): Replica {
  const need = () => {
    if (replica.hub === null) throw new Error("The server does not run.");
    return replica.hub;
  };
  const replica: Replica = {
    port,
    hub: null,
    isPaused: false,
    async start() {
      replica.hub = await startHub({
        main,
        dataDir: folder.path,
        env: { ...env, HUB_PORT: String(port) },
      });
    },
    async kill() {
      const { hub } = replica;
      replica.hub = null;
      await hub?.kill();
    },
    async stop() {
      const hub = need();
      replica.hub = null;
      return await hub.stop();
    },
    pause() {
      replica.isPaused = true;
      process.kill(need().pid, "SIGSTOP");
    },
    resume() {
      replica.isPaused = false;
      process.kill(need().pid, "SIGCONT");
    },
  };
  return replica;
}
