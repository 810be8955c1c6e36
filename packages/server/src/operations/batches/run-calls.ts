import { HubError } from "../../errors.ts";
import { createFairQueue } from "../../lib/queues/fair-queue.ts";
import { parseToolBeginning } from "../catalogue/tool-id.ts";
import type { BatchRequest, ExecuteRequest } from "../operations.ts";
import type { InnerAnswer } from "./inner-calls.ts";

type BatchLimits = {
  /** Calls that run at once. */
  atOnce: number;
  /** Calls of one row that run at once; 0 is no limit. */
  rowAtOnce: number;
};

/** The shortest beginning of an id that names a row. */
const beginningChars = 8;

type Steps = {
  limits: BatchLimits;
  /** Makes a call. Never rejects. */
  run(request: ExecuteRequest): Promise<InnerAnswer>;
  /** Gets the number of calls that have ended. */
  onEnd(done: number): void;
};

/**
 * Runs the calls of a batch and returns their answers in the given order. A call whose row has as many as it may run
 * lets later calls of other rows pass, unless the calls are ordered. Those that wait begin round-robin by row.
 */
export async function runCalls(
  requests: readonly ExecuteRequest[],
  { ordered = false, stopOnError = false }: Pick<BatchRequest, "ordered" | "stopOnError">,
  { limits: { atOnce, rowAtOnce }, run, onEnd }: Steps,
): Promise<InnerAnswer[]> {
  const total = ordered ? 1 : atOnce;
  const queue = createFairQueue({ atOnce: { total, owner: rowAtOnce || total } });
  const stop = new AbortController();
  let done = 0;

  async function runNext(request: ExecuteRequest): Promise<InnerAnswer> {
    let end: () => void;
    try {
      end = await queue.enter({ owner: ordered ? "" : nameRow(request) }, stop.signal);
    } catch {
      return toNotRun();
    }
    const answer = await run(request);
    if (stopOnError && answer.status !== "success") stop.abort();
    done += 1;
    onEnd(done);
    end();
    return answer;
  }

  return await Promise.all(requests.map(runNext));
}

/** The same text for one row, whatever part of its id is given. Rows that begin alike wait for each other. */
function nameRow({ toolId, named }: ExecuteRequest): string {
  if (named !== undefined) return named.row.trim().toLowerCase();
  return parseToolBeginning(toolId)?.rowId.slice(0, beginningChars) ?? toolId;
}

function toNotRun(): InnerAnswer {
  const message = "Another call of this message failed, so this one was not made.";
  return { status: "not_run", error: new HubError("cancelled", message) };
}
