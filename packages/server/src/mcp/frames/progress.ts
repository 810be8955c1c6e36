import { HubError } from "../../errors.ts";
import type { ProgressReport } from "../../operations/operations.ts";
import { readMeta } from "../modes/protocol-mode.ts";
import { type IdText, idForm, type Params, toIdText } from "./frame.ts";
import { toMembers } from "./write-frame.ts";

/** Returns the frame of a report, or null if none is to be sent. */
export type WriteProgress = (report: ProgressReport) => string | null;

/**
 * Writes the progress frames of one request; none if the client sent no token. MCP requires
 * `progress` to increase, so reports that do not are dropped.
 */
export function createProgressWriter(params: Params): WriteProgress {
  const token = findProgressToken(params);
  if (token === null) return () => null;
  let reached = Number.NEGATIVE_INFINITY;
  return ({ done, total, message }) => {
    if (!Number.isFinite(done) || done <= reached) return null;
    reached = done;
    const report = toMembers({ progress: done, total: toFinite(total), message });
    return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},${report}}}`;
  };
}

/** Refuses an invalid token: otherwise its client would wait for frames that never come. */
export function findProgressTokenFault(params: Params): HubError | null {
  const given = readMeta(params).progressToken ?? null;
  if (given === null || toIdText(given) !== null) return null;
  return new HubError("malformed_params", `"_meta.progressToken" must be ${idForm}.`);
}

/** Whether the client wants to see the progress of this request. */
export function hasProgressToken(params: Params): boolean {
  return findProgressToken(params) !== null;
}

function findProgressToken(params: Params): IdText | null {
  return toIdText(readMeta(params).progressToken);
}

function toFinite(total: number | undefined): number | undefined {
  return Number.isFinite(total) ? total : undefined;
}
