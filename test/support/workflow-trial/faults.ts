import { setTimeout as wait } from "node:timers/promises";
import type { EmbeddedServer } from "../postgres-server.ts";
import type { Random } from "../random.ts";
import type { TrialDatabase } from "./database.ts";
import type { TrialServer } from "./servers.ts";

/** What can happen to the servers of a trial and to their database. */
export type Fault = "kill" | "kill all" | "drain" | "pause" | "cut" | "crash";

type FaultDeps = {
  servers: readonly TrialServer[];
  random: Random;
  database: TrialDatabase;
  /** Null with SQLite. */
  postgres: EmbeddedServer | null;
  pauseMs: number;
  /** Runs that a paused server works on. When it goes on, it does not know that others took them over. */
  onPaused(runIds: readonly string[]): void;
  /** Called when all servers, or the database, were down and are up again. */
  onOutage(from: number, to: number): void;
};

/** Each resolves when all servers run again. */
export const faults: Record<Fault, (deps: FaultDeps) => Promise<void>> = {
  async kill(deps) {
    const server = deps.random.pick(deps.servers);
    const from = Date.now();
    await server.kill();
    await wait(deps.servers.length > 1 ? deps.random.below(2500) : 0);
    await server.start();
    if (deps.servers.length === 1) deps.onOutage(from, Date.now());
  },

  async "kill all"({ servers, onOutage }) {
    const from = Date.now();
    await Promise.all(servers.map((server) => server.kill()));
    for (const server of servers) await server.start();
    onOutage(from, Date.now());
  },

  async drain({ servers, random, onOutage }) {
    const from = Date.now();
    const server = random.pick(servers);
    await server.stop();
    await server.start();
    if (servers.length === 1) onOutage(from, Date.now());
  },

  async pause({ servers, random, database, pauseMs, onPaused }) {
    const server = random.pick(servers);
    const pid = server.hub?.pid ?? 0;
    server.isPaused = true;
    process.kill(pid, "SIGSTOP");
    // What it has sent may still be committed.
    for (let look = 0; look < 3; look += 1) {
      const held = await database.query<{ id: string }>(
        `select r.id from workflow_runs r join instances i on i.id = r.lease_instance where i.pid = ${pid}`,
      );
      onPaused(held.map(({ id }) => id));
      await wait(500);
    }
    await wait(pauseMs);
    process.kill(pid, "SIGCONT");
    server.isPaused = false;
  },

  async cut({ database }) {
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  },

  async crash({ postgres, random, onOutage }) {
    const from = Date.now();
    await postgres?.crash();
    await wait(random.below(2000));
    await postgres?.start();
    onOutage(from, Date.now());
  },
};
