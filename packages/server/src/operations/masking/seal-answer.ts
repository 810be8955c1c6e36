import type { Json } from "@hub/connector";
import { KeptAnswer } from "../answers/kept-answer.ts";
import { LargeAnswer, toLazyResult } from "../answers/large-answers.ts";
import type { CallContext, SealedResult } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import { toAuditText } from "../records/stored-request.ts";
import {
  type Presentation,
  type SealDeps,
  sealKept,
  sealLarge,
  sealSmall,
  sealWhole,
} from "./seal-result.ts";

type SealedAnswer = { sealed: SealedResult; auditText: string };

/** The sealed value of an answer, cut to size, and its beginning for the record. A promise only for a large or long one. */
export function sealAnswer(
  deps: SealDeps,
  ctx: CallContext,
  recording: Recording,
  value: Json | LargeAnswer | KeptAnswer,
  presentation: Presentation,
): SealedAnswer | Promise<SealedAnswer> {
  if (value instanceof KeptAnswer) return sealKept(recording, value);
  if (presentation.isWhole === true && !(value instanceof LargeAnswer)) {
    return sealWhole(recording, value);
  }
  const isLarge = value instanceof LargeAnswer && !recording.callMask.hasTooManySecrets();
  const small = isLarge ? null : sealSmall(recording, value, presentation);
  if (small !== null) return { sealed: small, auditText: toAuditText(small.value, small.text) };
  return sealLarge(deps, ctx, recording, value, presentation).then((read) => ({
    sealed: toLazyResult(read, recording.runId),
    auditText: read.auditText,
  }));
}
