import { InvalidInputError, isJsonObject, UpstreamError } from "@hub/connector";
import type { ApiPath } from "../../api-path.ts";
import type { HostContext } from "../../codehost-config-fields.ts";
import { isEmptyRepository } from "../../empty-repository.ts";
import { toShapeError } from "../../present-answer.ts";
import { type HostAnswer, requestJson } from "../../request-codehost.ts";

export type FileChange = {
  path: ApiPath;
  /** Plain text. */
  content: string;
  message: string;
  /** Empty for the default branch. */
  branch: string;
  /** The version to replace; empty to look it up. */
  sha: string;
};

/**
 * Replaces the given version of a file, or the current one. Throws if another writer changes the file after
 * the look-up, and does not overwrite that change.
 */
export async function writeFile(ctx: HostContext, change: FileChange): Promise<HostAnswer> {
  if (change.sha !== "") return await replaceVersion(ctx, change);
  const seen = await findSha(ctx, change);
  try {
    return await putFile(ctx, change, seen);
  } catch (refused) {
    if (!isConflict(refused)) throw refused;
    if ((await findSha(ctx, change)) !== seen) throw toConflictError(refused);
  }
  // A commit to another file has moved the branch, but this file has not changed.
  return await putFile(ctx, change, seen);
}

async function replaceVersion(ctx: HostContext, change: FileChange): Promise<HostAnswer> {
  try {
    return await putFile(ctx, change, change.sha);
  } catch (refused) {
    if (!isConflict(refused)) throw refused;
    throw new UpstreamError(
      "The file has changed since the version of this sha, so nothing was written. Read it again with get_file, merge the changes, then write with the new sha.",
      { httpStatus: 409, cause: refused },
    );
  }
}

async function putFile(
  ctx: HostContext,
  { path, content, message, branch }: FileChange,
  sha: string | null,
): Promise<HostAnswer> {
  const body = {
    message,
    content: Buffer.from(content).toString("base64"),
    ...(branch !== "" && { branch }),
    ...(sha !== null && { sha }),
  };
  return await requestJson(ctx, { method: "PUT", path, body });
}

/** The current sha of the file; null if the file does not exist. */
async function findSha(ctx: HostContext, { path, branch }: FileChange): Promise<string | null> {
  try {
    const { json } = await requestJson(ctx, { path, query: { ref: branch } });
    if (Array.isArray(json)) {
      throw new InvalidInputError(
        "path",
        "is a folder, and a file cannot take its place. Nothing was written.",
      );
    }
    if (!isJsonObject(json) || typeof json.sha !== "string") throw toShapeError("a file");
    if (json.type === "submodule") {
      throw new InvalidInputError(
        "path",
        "is a submodule, which a file would replace. Nothing was written.",
      );
    }
    return json.sha;
  } catch (thrown) {
    if (thrown instanceof UpstreamError && thrown.httpStatus === 404) return null;
    if (isEmptyRepository(thrown)) return null;
    throw thrown;
  }
}

/** 409: the sha is outdated. 422: no sha was sent, but the file exists. */
function isConflict(thrown: unknown): boolean {
  if (!(thrown instanceof UpstreamError)) return false;
  return thrown.httpStatus === 409 || (thrown.httpStatus === 422 && /\bsha\b/.test(thrown.message));
}

function toConflictError(refused: unknown): UpstreamError {
  return new UpstreamError(
    "Another writer changed this file at the same time. Nothing was written, so no changes are lost. Read it again with get_file, merge the changes, then write with its sha.",
    { httpStatus: 409, cause: refused },
  );
}
