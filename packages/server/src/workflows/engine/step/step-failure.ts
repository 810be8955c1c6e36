import { HubError, toHubError } from "../../../errors.ts";
import { TemplateError } from "../../templates/template-error.ts";

/** Why a step failed. `code` is a code of the hub's errors or of the template language. */
export type StepFailure = {
  code: string;
  message: string;
  /** The status of the outside system, if it answered. */
  httpStatus: number | null;
  /** How long to wait before another try, in ms. */
  retryAfterMs: number | null;
  /** Whether the request is known not to have reached the outside system. */
  isUnsent: boolean;
  cause: unknown;
};

export function toStepFailure(thrown: unknown): StepFailure {
  const unknown = { httpStatus: null, retryAfterMs: null, isUnsent: false, cause: thrown };
  if (thrown instanceof TemplateError) {
    return { ...unknown, code: thrown.code, message: thrown.message };
  }
  const { code, message, detail } = toHubError(thrown);
  return {
    code,
    message,
    httpStatus: typeof detail.http_status === "number" ? detail.http_status : null,
    retryAfterMs: typeof detail.retry_after_s === "number" ? detail.retry_after_s * 1000 : null,
    isUnsent: refusedCodes.has(code) || detail.not_sent === true,
    cause: thrown,
  };
}

/** The hub's own limits refuse a call before it is sent, as it does a repeat of a call that runs. */
const refusedCodes = new Set(["rate_limited", "insufficient_storage", "still_running"]);

/** Failures that can pass by themselves. Refusals never do. */
const passingCodes = new Set(["timeout", "upstream_error", "plugin_unavailable", "unavailable"]);

/** Whether another try could succeed. */
export function canPass(failure: StepFailure): boolean {
  const { code, httpStatus, isUnsent } = failure;
  if (isUnsent || isLimited(failure)) return true;
  if (!passingCodes.has(code)) return false;
  return httpStatus === null || httpStatus >= 500 || httpStatus === 429 || httpStatus === 408;
}

/** Whether another try does nothing a second time, also for a step with effects. */
export function isSafeToRepeat(failure: StepFailure): boolean {
  return failure.isUnsent || isLimited(failure);
}

/** Refused by a limit of the outside system. GitHub answers 403 for it, and says how long to wait. */
function isLimited({ code, httpStatus, retryAfterMs }: StepFailure): boolean {
  if (code !== "upstream_error") return false;
  return httpStatus === 429 || (httpStatus === 403 && retryAfterMs !== null);
}

/** With `code_failed`, a script has failed that may have called operations before. */
const unsureCodes = new Set(["cancelled", "internal", "code_failed"]);

/**
 * Whether the call of a failed step may have had effects: it was sent, and its answer does not say that it
 * was refused.
 */
export function mayHaveHappened(failure: StepFailure): boolean {
  if (isSafeToRepeat(failure)) return false;
  return canPass(failure) || unsureCodes.has(failure.code);
}

export function refuseOutputs(): HubError {
  return new HubError(
    "run_failed",
    "The runs of this owner that work now have more outputs than a server can hold. Return less, or run fewer at the same time.",
  );
}

/** A failure of the workflow itself. */
export function refuseStep(message: string): HubError {
  return new HubError("invalid_params", message);
}
