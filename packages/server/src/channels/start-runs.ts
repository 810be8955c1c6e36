import type { Row } from "../connectors/row-directory.ts";
import type { RunRequest } from "../workflows/engine/prepare-run.ts";
import { isUnavailable } from "../workflows/engine/wait-for-database.ts";
import type { Workflows } from "../workflows/workflows.ts";

type StartDeps = {
  logFailure(err: unknown, place: { channel: string; workflowId: string | null }): void;
};

/** Runs that are asked for at the same time. Their writes share commits. */
const acceptsMax = 100;
/** The texts of these runs. Each run has its own copy, which is written and begun in one go. */
const acceptedCharsMax = 400_000;

/** Accepts runs in portions: a batch may start hundreds of thousands, whose requests hold memory. */
export function createStarts(deps: StartDeps, row: Row, count: (at: number) => void) {
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
      const accepting = accept(deps, workflows, row, request).then((isAccepted) => {
        if (isAccepted) count(at);
      });
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
  deps: StartDeps,
  { engine }: Workflows,
  row: Row,
  request: RunRequest,
): Promise<boolean> {
  try {
    const { acceptance } = await engine.accept(request);
    return acceptance.kind !== "dropped";
  } catch (err) {
    if (isUnavailable(err)) throw err;
    deps.logFailure(err, { channel: row.slug ?? row.id, workflowId: request.workflow.id });
    return false;
  }
}
