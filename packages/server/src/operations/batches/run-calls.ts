import { HubError } from "../../errors.ts";
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
 * lets later calls of other rows pass, unless the calls are ordered.
 */
export function runCalls(
  requests: readonly ExecuteRequest[],
  { ordered = false, stopOnError = false }: Pick<BatchRequest, "ordered" | "stopOnError">,
  { limits: { atOnce, rowAtOnce }, run, onEnd }: Steps,
): Promise<InnerAnswer[]> {
  const width = ordered ? 1 : Math.max(1, atOnce);
  const rowWidth = rowAtOnce > 0 ? rowAtOnce : width;
  const rows = requests.map(nameRow);
  const running = new Map<string, number>();
  const waiting = new Map(requests.entries());
  const answers = requests.map(toNotRun);
  let runningCount = 0;
  let done = 0;
  const { promise, resolve } = Promise.withResolvers<InnerAnswer[]>();

  function addToRow(index: number, change: 1 | -1): void {
    const row = rows[index] ?? "";
    running.set(row, (running.get(row) ?? 0) + change);
    runningCount += change;
  }

  function takeNext(): [number, ExecuteRequest] | null {
    for (const next of waiting) {
      const [index] = next;
      if ((running.get(rows[index] ?? "") ?? 0) >= rowWidth) continue;
      waiting.delete(index);
      return next;
    }
    return null;
  }

  function fill(): void {
    while (runningCount < width) {
      const next = takeNext();
      if (next === null) break;
      const [index, request] = next;
      addToRow(index, 1);
      void run(request).then((answer) => end(index, answer));
    }
    if (runningCount === 0) resolve(answers);
  }

  function end(index: number, answer: InnerAnswer): void {
    answers[index] = answer;
    addToRow(index, -1);
    if (stopOnError && answer.status !== "success") waiting.clear();
    done += 1;
    onEnd(done);
    fill();
  }

  fill();
  return promise;
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
