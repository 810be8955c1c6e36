import { createHash } from "node:crypto";
import { toJsonText } from "@hub/connector";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";

/** The digest of what is shown of a call, and of what runs. A decision carries it, so that it is about nothing else. */
export function hashCall(
  call: Pick<
    PendingCall,
    | "id"
    | "digest"
    | "basis"
    | "shown"
    | "decider"
    | "principal"
    | "principalName"
    | "userId"
    | "ruleId"
    | "ruleRevision"
    | "runsByItself"
  >,
): string {
  const { id, digest, basis, shown, decider, principal, principalName, userId } = call;
  const { ruleId, ruleRevision, runsByItself } = call;
  const text = toJsonText([
    [id, digest, basis, userId, principal, principalName],
    [ruleId, ruleRevision, runsByItself, decider],
    shown,
  ]);
  return createHash("sha256").update(text).digest("base64url");
}
