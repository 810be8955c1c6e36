// Runs statements on PostgreSQL for a thread that waits for the answer.
import { type MessagePort, workerData } from "node:worker_threads";
import { SQL } from "bun";
import type { QueryAnswer, QueryRequest } from "./query-postgres.ts";

// The cast is safe: only `query-postgres.ts` starts this worker.
const { answered, port } = workerData as { answered: Int32Array; port: MessagePort };

port.on("message", async (request: QueryRequest) => {
  port.postMessage(await run(request));
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});

async function run({ url, statement }: QueryRequest): Promise<QueryAnswer> {
  try {
    await using database = new SQL({ url, max: 1, bigint: true });
    const rows: object[] = await database.unsafe(statement);
    return { rows: rows.map(toRow) };
  } catch (err) {
    return { error: String(err) };
  }
}

/** As SQLite returns it: whole numbers are numbers. */
function toRow(row: object): unknown {
  const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumber(value)]));
}
