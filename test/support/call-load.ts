import type { ToolAnswer } from "./mcp-client.ts";
import { waitFor } from "./wait-for.ts";

/** The outcome of one call, and the phases in which it began and ended. */
type LoadedCall<Phase> = {
  answer: ToolAnswer;
  /** `success` or the error code. */
  outcome: string;
  begunIn: Phase;
  endedIn: Phase;
};

/** A client that calls without a pause until it is stopped. */
export type CallLoad<Phase> = {
  calls: LoadedCall<Phase>[];
  /** Resolves when `count` more calls have begun and ended. */
  goesOn(count: number): Promise<void>;
  stop(): Promise<void>;
};

export function startCallLoad<Phase>(
  readPhase: () => Phase,
  call: () => Promise<ToolAnswer>,
): CallLoad<Phase> {
  const calls: LoadedCall<Phase>[] = [];
  let isStopped = false;
  let fault: unknown;

  async function callContinuously(): Promise<void> {
    while (!isStopped) {
      const begunIn = readPhase();
      const answer = await call();
      const outcome = answer.isError ? answer.value.code : "success";
      calls.push({ answer, outcome, begunIn, endedIn: readPhase() });
    }
  }
  const ended = callContinuously().catch((thrown: unknown) => {
    fault = thrown ?? new Error("A call failed.");
  });

  const checkFault = () => {
    if (fault !== undefined) throw fault;
  };
  return {
    calls,
    async goesOn(count) {
      // The running call does not count, because it began earlier.
      const goal = calls.length + 1 + count;
      await waitFor(() => {
        checkFault();
        return calls.length >= goal;
      });
    },
    async stop() {
      isStopped = true;
      await ended;
      checkFault();
    },
  };
}
