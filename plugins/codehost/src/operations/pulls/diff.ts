import { cutText, UpstreamError } from "@hub/connector";
import type { ApiPath } from "../../api-path.ts";
import { type HostContext, listSecrets } from "../../codehost-config-fields.ts";
import { sendRequest } from "../../request-codehost.ts";

export type Diff = { diff: string; truncated: boolean; total_bytes: number; note?: string };

/** Requests a pull request as a diff, cut to `bytesMax` if that is greater than 0. */
export async function requestDiff(
  ctx: HostContext,
  path: ApiPath,
  bytesMax: number,
): Promise<Diff> {
  const response = await requestDiffText(ctx, path);
  // A host that does not support the media type returns the pull request as JSON.
  if (response.headers.get("content-type")?.includes("json")) {
    throw new UpstreamError("The code host sent no diff. Use list_pr_files instead.", {
      httpStatus: response.status,
    });
  }
  const bytes = await response.bytes();
  return toDiff(bytes, bytesMax, listSecrets(ctx));
}

async function requestDiffText(ctx: HostContext, path: ApiPath): Promise<Response> {
  try {
    return await sendRequest(ctx, { path, accept: "application/vnd.github.v3.diff" });
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError) || thrown.httpStatus !== 406) throw thrown;
    throw new UpstreamError(
      "This diff has too many lines or files for the code host (406). Use list_pr_files, which returns the patches page by page.",
      { httpStatus: 406, body: thrown.body, cause: thrown },
    );
  }
}

function toDiff(bytes: Uint8Array, bytesMax: number, secrets: readonly string[]): Diff {
  const total = bytes.length;
  if (bytesMax <= 0 || total <= bytesMax) {
    return { diff: toText(bytes), truncated: false, total_bytes: total };
  }
  const begin = toText(bytes.subarray(0, findCut(bytes, bytesMax)));
  const diff = cutText(toText(bytes), begin.length, secrets);
  const note = `The diff is cut: this is ${Buffer.byteLength(diff)} of ${total} bytes. Set a larger max_bytes, or read the rest with list_pr_files.`;
  return { diff, truncated: true, total_bytes: total, note };
}

const lineFeed = 0x0a;

/** The end of the last complete line, or of a character if one line is longer than the limit. */
function findCut(bytes: Uint8Array, bytesMax: number): number {
  const afterLine = bytes.lastIndexOf(lineFeed, bytesMax - 1) + 1;
  if (afterLine > 0) return afterLine;
  let end = bytesMax;
  while (end > 0 && isInsideCharacter(bytes[end])) end -= 1;
  return end;
}

/** Whether a byte is a continuation byte of UTF-8. */
function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Decodes a diff, which may contain files in other encodings. Invalid UTF-8 is replaced. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
