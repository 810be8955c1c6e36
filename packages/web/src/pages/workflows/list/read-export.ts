import type { Input } from "../../../api/call-api.ts";
import { parseExactJson } from "../../../api/exact-json.ts";

export type ExportedWorkflow = Input<"POST /manager/api/workflows/import">["body"] & {
  secrets: string[];
};

const bytesMax = 2 * 1024 * 1024;

/** Reads an exported workflow; a text says what is wrong with the file. The hub checks its body. */
export async function readExport(file: Blob): Promise<ExportedWorkflow | string> {
  if (file.size > bytesMax) return "The file is too large. A workflow has at most 1 MiB.";
  let parsed: unknown;
  try {
    parsed = parseExactJson(await file.text());
  } catch {
    return "The file is not JSON. Choose a file that a hub exported.";
  }
  const { name, body, description, run_by: runBy, secrets } = Object(parsed);
  if (typeof name !== "string" || body === undefined) {
    return "The file is not an exported workflow: it has no name or no body.";
  }
  const names = Array.isArray(secrets) ? secrets.filter((one) => typeof one === "string") : [];
  return {
    name,
    body,
    secrets: names,
    ...(typeof description === "string" && { description }),
    ...((runBy === "tags" || runBy === "owner") && { run_by: runBy }),
  };
}
