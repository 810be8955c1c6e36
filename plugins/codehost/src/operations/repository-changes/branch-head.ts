import { isJsonObject } from "@hub/connector";
import { type ApiPath, apiPath, toBranchSegments } from "../../api-path.ts";
import type { HostContext } from "../../codehost-config-fields.ts";
import { toShapeError } from "../../present-answer.ts";
import { requestJson } from "../../request-codehost.ts";

export async function findDefaultBranch(ctx: HostContext, repo: ApiPath): Promise<string> {
  const { json } = await requestJson(ctx, { path: repo });
  if (!isJsonObject(json) || typeof json.default_branch !== "string") {
    throw toShapeError("a repository");
  }
  return json.default_branch;
}

/** The newest commit of a branch. */
export async function findBranchSha(
  ctx: HostContext,
  repo: ApiPath,
  branch: string,
): Promise<string> {
  const path = apiPath`${repo}/git/ref/heads/${toBranchSegments("from_branch", branch)}`;
  const { json } = await requestJson(ctx, { path });
  const object = isJsonObject(json) ? json.object : undefined;
  if (!isJsonObject(object) || typeof object.sha !== "string") throw toShapeError("a branch");
  return object.sha;
}
