import { isJsonObject, UpstreamError } from "@hub/connector";
import type { ApiPath } from "../../api-path.ts";
import type { HostContext } from "../../codehost-config-fields.ts";
import { type HostAnswer, requestJson } from "../../request-codehost.ts";

type Label = { labels: ApiPath; name: string };

/**
 * Returns the labels of an issue if a label could not be removed because the issue does not have it, so the
 * result is as requested. Throws the error for any other reason.
 */
export async function requestLabelsWithout(
  ctx: HostContext,
  { labels, name }: Label,
  failure: unknown,
): Promise<HostAnswer> {
  if (!(failure instanceof UpstreamError) || failure.httpStatus !== 404) throw failure;
  // The host also answers 404 for a missing repository, issue or permission.
  const answer = await requestJson(ctx, { path: labels }).catch(() => {
    throw failure;
  });
  const left = Array.isArray(answer.json) ? answer.json : [];
  // The host ignores the case of names.
  const isThere = left.some(
    (label) => isJsonObject(label) && String(label.name ?? "").toLowerCase() === name.toLowerCase(),
  );
  if (isThere) throw failure;
  return answer;
}
