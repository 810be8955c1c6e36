import { SQL } from "bun";
import type { EmbeddedServer } from "../../support/postgres-server.ts";
import type { Random } from "../../support/random.ts";
import type { Replica, Replicas } from "./replicas.ts";

export type Disturbance = "kill" | "restart" | "pause" | "crash" | "cut";

type DisturbContext = {
  replicas: Replicas;
  database: EmbeddedServer;
  databaseUrl: string;
  random: Random;
  /** How long a paused server stands still. */
  pauseMs: number;
};

/** What can happen to the servers and to their database. Each resolves when all run again. */
export const disturbances: Record<Disturbance, (ctx: DisturbContext) => Promise<void>> = {
  async kill({ replicas, random }) {
    const replica = random.pick(replicas.all);
    await replica.kill();
    await Bun.sleep(random.below(3000));
    await replica.start();
  },

  async restart({ replicas }) {
    for (const replica of replicas.all) {
      await checkStop(replica);
      await replica.start();
    }
  },

  async pause({ replicas, random, pauseMs }) {
    const replica = random.pick(replicas.all);
    replica.pause();
    await Bun.sleep(pauseMs);
    replica.resume();
  },

  async crash({ database, random }) {
    await database.crash();
    await Bun.sleep(random.below(2000));
    await database.start();
  },

  async cut({ databaseUrl }) {
    await using admin = new SQL({ url: databaseUrl, max: 1 });
    await admin.unsafe(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  },
};

async function checkStop(replica: Replica): Promise<void> {
  const exitCode = await replica.stop();
  if (exitCode !== 0) throw new Error(`A server ended with the exit code ${exitCode}.`);
}
