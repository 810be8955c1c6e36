import { setTimeout as wait } from "node:timers/promises";
import { HubError, toHubError } from "../../errors.ts";

const pauseMs = 250;

/**
 * The run of a workflow waits until its outcome can be stored, because it can neither repeat the operation
 * nor go on without its result.
 */
export async function finishPatiently(
  finish: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    try {
      return await finish();
    } catch (thrown) {
      const isPassing = thrown instanceof HubError && thrown.code === "unavailable";
      if (!isPassing || signal?.aborted) throw thrown;
    }
    await wait(pauseMs);
  }
}

/** The operation has not begun, so a caller can safely try again. */
export function refuseUnsent(thrown: unknown): never {
  const { code, message, detail, cause, localMessage } = toHubError(thrown);
  if (code !== "unavailable") throw thrown;
  throw new HubError(code, message, {
    detail: { ...detail, not_sent: true },
    cause,
    ...(localMessage !== null && { localMessage }),
  });
}

/** "Try again" would repeat an operation that ran. `isUnsaved` recognizes it. */
export function toEffectsWarning(thrown: unknown): HubError {
  const { code, message, detail } = toHubError(thrown);
  return new HubError(
    code,
    `The operation ended and may have taken effect, but its outcome could not be saved. Check its effect before you repeat the call. The cause: ${message}`,
    { detail: { ...detail, is_unsaved: true }, cause: thrown },
  );
}

/** Whether a call has ended and its outcome could not be stored: the failure says nothing of what it did. */
export function isUnsaved({ detail }: HubError): boolean {
  return detail.is_unsaved === true;
}
