import type { Principal } from "../../caller.ts";
import { type CallContext, findCallingWorkflow } from "../operations.ts";

/**
 * What makes a call: pending calls and permits belong to it, beside the user. An access token that was refreshed is the
 * same grant, and each run of a workflow is a principal of its own, also for the calls of its scripts: an approval of a page
 * is not theirs.
 */
export function findPrincipal(ctx: Pick<CallContext, "caller" | "cause">): Principal {
  const workflow = findCallingWorkflow(ctx);
  if (workflow !== null) return { kind: "workflow", id: workflow.id };
  const { principal, tokenId } = ctx.caller;
  if (principal !== undefined) return principal;
  return tokenId === null ? { kind: "session", id: "" } : { kind: "token", id: tokenId };
}

/** The stored form: `token:ID`, `grant:ID`, `workflow:RUN`, `stdio` or `session`. */
export function formatPrincipal({ kind, id }: Principal): string {
  return id === "" ? kind : `${kind}:${id}`;
}
