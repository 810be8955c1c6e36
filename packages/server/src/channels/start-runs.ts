import type { RunRequest } from "../workflows/engine/accept/prepare-run.ts";
import { isUnavailable } from "../workflows/engine/claim/wait-for-database.ts";
import type { Workflows } from "../workflows/workflows.ts";

/** The results of envelopes, by index in the batch. */
type BatchResults = {
  count(at: number): void;
  fail(at: number, err: unknown, workflowId: string): void;
};

/** Runs that are asked for at the same time. Their writes share commits. */
const acceptsMax = 100;
/** The payloads of these runs. Each run has its own copy, which is written and begun in one go. */
const acceptedCharsMax = 400_000;

/** Accepts runs in portions: a batch may start hundreds of thousands, whose requests hold memory. */
export function createStarts(results: BatchResults) {
  let portion: Promise<void>[] = [];
  let chars = 0;
  const finish = async () => {
    const accepting = portion;
    portion = [];
    chars = 0;
    await Promise.all(accepting);
  };
  return {
    finish,
    async add(workflows: Workflows, request: RunRequest, at: number, size: number): Promise<void> {
      const accepting = accept(results, workflows, request, at);
      // If another one fails first, nothing waits for this one.
      accepting.catch(() => {});
      portion.push(accepting);
      chars += size;
      if (portion.length >= acceptsMax || chars >= acceptedCharsMax) await finish();
    },
  };
}

/** Resolves when the run is on disk; also one that the queue policy refuses, which is recorded. */
async function accept(
  { count, fail }: BatchResults,
  { engine }: Workflows,
  request: RunRequest,
  at: number,
): Promise<void> {
  try {
    const { acceptance } = await engine.accept(request);
    if (acceptance.kind !== "dropped") count(at);
  } catch (err) {
    if (isUnavailable(err)) throw err;
    fail(at, err, request.workflow.id);
  }
}
