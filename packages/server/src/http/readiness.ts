import type { Handler } from "hono";
import type { HotReads } from "../store/database/hot-reads.ts";
import type { IntegrityCheck } from "../store/integrity/check-integrity.ts";
import type { AppEnv } from "./app-env.ts";

/** Why a balancer must not send requests to this server now. */
type NotReady = "stopping" | "database unavailable";

export type Readiness = {
  /** Null if the server is ready. */
  find(): Promise<NotReady | null>;
  /** Whether the newest check has found damage. A server goes on as long as calls can be recorded. */
  isDamaged(): boolean;
};

type ReadinessDeps = {
  reads: Pick<HotReads, "readRevision">;
  integrity?: Pick<IntegrityCheck, "read"> | null;
  isStopping(): boolean;
  now(): number;
  timeoutMs?: number;
};

/** Anyone may ask, so the database is asked at most once in this time. */
const keptMs = 1000;

export function createReadiness(deps: ReadinessDeps): Readiness {
  const { reads, integrity = null, isStopping, now, timeoutMs = 2000 } = deps;
  let asked: Promise<boolean> | null = null;
  let askedAt = 0;

  async function canRead(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), timeoutMs);
    const read = reads.readRevision().then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([read, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async find() {
      if (isStopping()) return "stopping";
      if (asked === null || now() - askedAt >= keptMs) {
        asked = canRead();
        askedAt = now();
      }
      return (await asked) ? null : "database unavailable";
    },
    isDamaged: () => (integrity?.read()?.faults.length ?? 0) > 0,
  };
}

/** For balancers: 503 takes this server out of turn. */
export function answerReady({ readiness }: { readiness: Readiness }): Handler<AppEnv> {
  return async (ctx) => {
    const reason = await readiness.find();
    const database = readiness.isDamaged() ? { database: "damaged" } : {};
    return ctx.json({ status: reason ?? "ready", ...database }, reason === null ? 200 : 503);
  };
}
