import { createHash } from "node:crypto";
import { writeCanonical } from "../calls/call-digest.ts";

/** The digests of params that a permit keeps as they were approved, by name. A param that is left out has one too. */
export async function digestFixed(
  params: Record<string, unknown>,
  names: readonly string[],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(params, name) ? [params[name]] : [];
    const text = await writeCanonical(value);
    digests[name] = createHash("sha256").update(`${name}\n${text}`).digest("base64url");
  }
  return digests;
}
