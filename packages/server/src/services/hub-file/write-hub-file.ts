import { findNumberText } from "@hub/connector";
import type { HubFile } from "@hub/contract/hub-file.ts";
import { stringify } from "yaml";

const head = `# A hub as a file: see "hub apply --help". Passwords, tokens and identities are not in it. "keep" stands for a
# secret: write env:NAME or file:PATH to set it.
`;

/** The file as YAML. The same hub gives the same bytes. */
export function writeHubFile(file: HubFile): string {
  const options = { lineWidth: 0, aliasDuplicateObjects: false, version: "1.2" } as const;
  return head + stringify(toYaml(file), options);
}

/** Whole numbers beyond 2^53 keep their digits. Half of a surrogate pair is no text of a file. */
function toYaml(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (JSON.isRawJSON(value)) {
    const text = findNumberText(value) ?? "0";
    return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  }
  if (Array.isArray(value)) return value.map(toYaml);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.toWellFormed(), toYaml(one)]),
  );
}
