import { isJsonObject, UpstreamError } from "@hub/connector";
import type { ApiPath } from "../../api-path.ts";
import type { HostContext } from "../../config-fields.ts";
import { type HostAnswer, requestJson } from "../../request.ts";

type Label = { labels: ApiPath; name: string };

/**
 * The labels that an issue has, where one could not be taken off because it is not among them: what
 * was wanted is so. Throws the failure for any other reason.
 */
export async function requestLabelsWithout(
  ctx: HostContext,
  { labels, name }: Label,
  failure: unknown,
): Promise<HostAnswer> {
  if (!(failure instanceof UpstreamError) || failure.httpStatus !== 404) throw failure;
  // A repository, an issue or a right that is missing is answered with 404 as well.
  const answer = await requestJson(ctx, { path: labels }).catch(() => {
    throw failure;
  });
  const left = Array.isArray(answer.json) ? answer.json : [];
  // The host compares names without regard to case.
  const isThere = left.some(
    (label) => isJsonObject(label) && String(label.name ?? "").toLowerCase() === name.toLowerCase(),
  );
  if (isThere) throw failure;
  return answer;
}
