import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";

/** What the worker answers. */
export type QueryAnswer = { rows: unknown[] } | { error: string };
export type QueryRequest = { url: string; statement: string };

const waitMsMax = 60_000;
let ask: ((request: QueryRequest) => QueryAnswer) | undefined;

/**
 * Runs one statement on PostgreSQL, and waits for it. A worker runs it, because the client has no
 * synchronous functions, and a process for each statement would be slow.
 */
export function queryPostgres<Row>(url: string, statement: string): Row[] {
  ask ??= startWorker();
  const answer = ask({ url, statement });
  if ("error" in answer) throw new Error(`${statement}: ${answer.error}`);
  // The cast is safe: assertions of the caller fail for a wrong type.
  return answer.rows as Row[];
}

function startWorker(): (request: QueryRequest) => QueryAnswer {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const { port1: port, port2 } = new MessageChannel();
  const workerData = { answered, port: port2 };
  const program = new URL("./query-postgres-worker.ts", import.meta.url);
  new Worker(program, { workerData, transferList: [port2] }).unref();
  port.unref();
  return (request) => {
    Atomics.store(answered, 0, 0);
    port.postMessage(request);
    Atomics.wait(answered, 0, 0, waitMsMax);
    // The worker sends the message before it wakes this thread.
    return receiveMessageOnPort(port)?.message ?? { error: "The database did not answer." };
  };
}
