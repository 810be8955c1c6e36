import { type Json, parseJson, toBytesText, toJsonText } from "@hub/connector";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";
import { HubError } from "../../errors.ts";
import { isNestedWithin } from "../../lib/json/check-nesting.ts";
import type { Db } from "../../store/database/database.ts";
import { type NewBody, readBody } from "../../store/workflows/workflow-bodies.ts";
import { trialMs } from "../engine/limits/draft-run-limit.ts";

/** The body of a workflow without triggers and nodes. */
export const emptyBody = { schema: 1, triggers: [], nodes: [], edges: [] };

/** A body to store, with a new id. A draft may have errors, but it is an object within the limits. */
export function toNewBody(
  body: unknown,
  { isModel = false, at }: { isModel?: boolean | undefined; at: number },
): NewBody {
  const id = crypto.randomUUID();
  return { id, text: toBodyText(body), ...(isModel && { trialUntil: at + trialMs }) };
}

function toBodyText(body: unknown): string {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new HubError("bad_request", "The body of a workflow is a JSON object.");
  }
  const text = toJsonText(body);
  const { bytesMax, depthMax } = workflowBodyLimits;
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) {
    throw new HubError(
      "bad_request",
      `The body of the workflow has ${bytes} bytes. The maximum is ${toBytesText(bytesMax)}.`,
    );
  }
  if (isNestedWithin(text, depthMax)) return text;
  throw new HubError(
    "bad_request",
    `The body of the workflow is nested more than ${depthMax} levels deep.`,
  );
}

/** The stored body with this id. */
export async function loadBody(db: Db, bodyId: string): Promise<Json> {
  const text = await readBody(db, bodyId);
  // Another process has just replaced the draft, or removed the version.
  if (text === null) throw new HubError("conflict", "The workflow has changed. Read it again.");
  return parseJson(text);
}
