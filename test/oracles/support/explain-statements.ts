import { SQL } from "bun";
import { Kysely, sql } from "kysely";
import { z } from "zod";
import {
  type Connection,
  connectionKey,
} from "../../../packages/server/src/store/database/connection.ts";
import type { Db } from "../../../packages/server/src/store/database/database.ts";
import type { Tables } from "../../../packages/server/src/store/database/tables.ts";
import { createAnswerTimeout } from "../../../packages/server/src/store/postgres/connections/answer-timeout.ts";
import {
  type ConnectionPool,
  createConnectionPool,
  type PooledConnection,
} from "../../../packages/server/src/store/postgres/connections/connection-pool.ts";
import { clockText } from "../../../packages/server/src/store/postgres/database-clock.ts";
import { createPostgresDialect } from "../../../packages/server/src/store/postgres/dialect-postgres.ts";
import { createListPadding } from "../../../packages/server/src/store/postgres/pad-lists.ts";
import { createWriterLock } from "../../../packages/server/src/store/sqlite/writer-lock.ts";

/** How PostgreSQL carried out one statement. */
export type ExplainedStatement = {
  sql: string;
  /** Each step with the index or table that it reads, such as `Index Scan connector_runs_user`. */
  steps: string[];
  /** Rows that the steps on tables and indexes read, with those that a filter dropped. */
  rowsRead: number;
  /** Pages of 8 KiB, also those that were read to plan the statement. */
  pagesRead: number;
  tookMs: number;
};

/** A store's database that explains each statement, carries it out, and keeps only the effects of the latter. */
export function openExplained(url: string): AsyncDisposable & {
  db: Db;
  /** Returns the statements that were explained since the last time. */
  take(): ExplainedStatement[];
} {
  const explained: ExplainedStatement[] = [];
  const pool = createConnectionPool({
    connect: () => new SQL({ url, max: 2, bigint: true }),
    answerTimeout: createAnswerTimeout({ answerMsMax: 600_000 }),
  });
  const reserve = async (): Promise<PooledConnection> => {
    const pooled = await pool.reserve();
    let isInTransaction = false;
    return {
      async query(text, values) {
        if (/^(begin|commit|rollback)\b/.test(text)) {
          isInTransaction = text.startsWith("begin");
          return await pooled.query(text, values);
        }
        await pooled.query(isInTransaction ? "savepoint explained" : "begin");
        explained.push(await explain(pooled, text, values));
        await pooled.query(isInTransaction ? "rollback to savepoint explained" : "rollback");
        return await pooled.query(text, values);
      },
      run: (text) => pooled.run(text),
      release: () => pooled.release(),
    };
  };
  const dialect = createPostgresDialect({ pool: { reserve }, lock: createWriterLock() });
  const kysely = new Kysely<Tables>({ dialect, plugins: [createListPadding()] });
  const begin: Connection["begin"] = (change) =>
    kysely.transaction().setIsolationLevel("serializable").execute(change);
  const connection: Connection = {
    kysely,
    isTransaction: false,
    clock: sql<number>`${sql.raw(clockText)}`,
    isConflict: () => false,
    begin,
    // Nothing runs beside it.
    beginExclusive: (_keys, change) => begin(change),
    plan: () => Promise.reject(new Error("Statements of a plan are not explained.")),
    runAll: () => Promise.reject(new Error("Statements of a plan are not explained.")),
  };
  return {
    db: { [connectionKey]: connection },
    take: () => explained.splice(0),
    async [Symbol.asyncDispose]() {
      await kysely.destroy();
      await pool.close();
    },
  };
}

const planSchema = z.looseObject({
  "Node Type": z.string(),
  "Index Name": z.string().optional(),
  "Relation Name": z.string().optional(),
  "Actual Rows": z.number(),
  "Actual Loops": z.number(),
  "Rows Removed by Filter": z.number().default(0),
  "Rows Removed by Index Recheck": z.number().default(0),
  "Shared Hit Blocks": z.number(),
  "Shared Read Blocks": z.number(),
  get Plans() {
    return z.array(planSchema).default([]);
  },
});
type Plan = z.output<typeof planSchema>;
const explanationSchema = z.tuple([
  z.object({
    Plan: planSchema,
    Planning: z.object({ "Shared Hit Blocks": z.number(), "Shared Read Blocks": z.number() }),
    "Execution Time": z.number(),
    "Planning Time": z.number(),
  }),
]);

async function explain(
  pooled: Pick<ConnectionPool, "query">,
  sql: string,
  values?: readonly unknown[],
): Promise<ExplainedStatement> {
  const { rows } = await pooled.query<{ "QUERY PLAN": unknown }>(
    `explain (analyze, buffers, format json) ${sql}`,
    values,
  );
  const answer = rows[0]?.["QUERY PLAN"];
  const parsed = typeof answer === "string" ? JSON.parse(answer) : answer;
  const [explanation] = explanationSchema.parse(parsed);
  const { Plan: plan, Planning: planning } = explanation;
  const all = listSteps(plan);
  return {
    sql,
    steps: all.map((step) => {
      const target = step["Index Name"] ?? step["Relation Name"];
      return target === undefined ? step["Node Type"] : `${step["Node Type"]} ${target}`;
    }),
    rowsRead: all.reduce((sum, step) => sum + countRows(step), 0),
    pagesRead: countPages(plan) + countPages(planning),
    tookMs: explanation["Execution Time"] + explanation["Planning Time"],
  };
}

type Pages = { "Shared Hit Blocks": number; "Shared Read Blocks": number };

function countPages(pages: Pages): number {
  return pages["Shared Hit Blocks"] + pages["Shared Read Blocks"];
}

function listSteps(plan: Plan): Plan[] {
  return [plan, ...plan.Plans.flatMap(listSteps)];
}

function countRows(step: Plan): number {
  const isRead = step["Relation Name"] !== undefined || step["Index Name"] !== undefined;
  if (!isRead) return 0;
  const dropped = step["Rows Removed by Filter"] + step["Rows Removed by Index Recheck"];
  return (step["Actual Rows"] + dropped) * step["Actual Loops"];
}
