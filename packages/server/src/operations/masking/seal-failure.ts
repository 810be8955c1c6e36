import { HubError, toHubError } from "../../errors.ts";
import { messageBytesMax } from "../../lib/limits/answer-limits.ts";
import type { HidePaths } from "../../lib/text/hide-paths.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { Recording } from "../records/recording.ts";
import { auditBytesMax } from "../records/stored-request.ts";
import { leaveTextsOut } from "./leave-texts-out.ts";
import { sealBeginning, sealTextBeginning } from "./seal-beginning.ts";

type FailureDeps = {
  /** A plugin's messages may contain file paths of the hub's machine. */
  hidePaths: HidePaths;
};

/** Clients cannot fix the hub's configuration, so they see an internal error. */
export function toCallFailure(thrown: unknown): HubError {
  const failure = toHubError(thrown);
  if (failure.code !== "bad_configuration") return failure;
  return new HubError("internal", failure.message, { cause: failure });
}

/** The failure as it leaves the call. */
export function sealCallFailure(
  deps: FailureDeps,
  recording: Recording,
  failure: HubError,
  textMask: Pick<Mask, "sealText" | "cutText"> = recording.mask,
): HubError {
  const plain = findPlainFailure(recording, failure);
  if (plain === null) return sealFailure(deps, recording.mask, textMask, failure);
  return new HubError(failure.code, deps.hidePaths(plain.message), { detail: plain.detail });
}

/** The failure without texts of the caller, if the row has a secret that can be guessed. */
export function findPlainFailure(recording: Recording, failure: HubError): HubError | null {
  if (!recording.leavesTextsOut()) return null;
  const { inputFields = [] } = recording.known;
  return leaveTextsOut(failure, { hasBegun: recording.hasBegun(), inputFields });
}

function sealFailure(
  { hidePaths }: FailureDeps,
  mask: Mask,
  textMask: Pick<Mask, "sealText" | "cutText">,
  failure: HubError,
): HubError {
  const sealed = sealDetail(mask, failure.detail);
  const output = sealed.program_output;
  const detail =
    typeof output === "string" ? { ...sealed, program_output: hidePaths(output) } : sealed;
  const message = hidePaths(sealTextBeginning(textMask, failure.message, messageBytesMax));
  return new HubError(failure.code, message, { detail });
}

/** If a failure's details cannot be written as JSON, the failure is reported without them. */
function sealDetail(mask: Mask, detail: Record<string, unknown>): Record<string, unknown> {
  try {
    // Safe: the detail is a record of JSON values, and sealing and cutting keep it one.
    return sealBeginning(mask, detail, auditBytesMax) as Record<string, unknown>;
  } catch {
    const { http_status: status, not_sent: isUnsent, retry_after_s: waitS } = detail;
    return {
      ...(typeof status === "number" && { http_status: status }),
      ...(isUnsent === true && { not_sent: true }),
      ...(typeof waitS === "number" && { retry_after_s: waitS }),
    };
  }
}
