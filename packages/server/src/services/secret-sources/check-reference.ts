import { type ReferenceInput, referenceInputSchema } from "@hub/contract/secret-source.ts";
import type { z } from "zod";
import { checkInput, lineSchema, toBadRequest } from "../../lib/input/check-input.ts";
import { findPathFault, isInPrefixes } from "../../secrets/sources/check-secret-path.ts";
import type { SourceDefinition } from "../../secrets/sources/secret-definitions.ts";
import { toTagNames } from "../../store/tags/tags-table.ts";

const inputSchema = referenceInputSchema.extend({ name: lineSchema(100) });
export type CheckedReference = z.output<typeof inputSchema>;

/** The checked input: row ids and hosts in lower case, tags, rows and hosts each once. Throws `bad_request`. */
export function checkReference(input: ReferenceInput): CheckedReference {
  const given = checkInput(inputSchema, input);
  const hosts = given.hosts.map((host) =>
    host
      .trim()
      .toLowerCase()
      .replace(/^https:\/\/(?!http:)/, ""),
  );
  const faults = hosts.flatMap((host, index) =>
    isHost(host)
      ? []
      : [
          {
            path: `hosts.${index}`,
            message: "must be a host, such as api.example.com or http://nas.lan:8080.",
          },
        ],
  );
  if (/\p{Cc}/u.test(`${given.field}${given.version ?? ""}`)) {
    faults.push({ path: "field", message: "must be one line without control characters." });
  }
  if (faults.length > 0) throw toBadRequest(faults);
  return {
    ...given,
    version: given.version?.trim() || null,
    tags: toTagNames(given.tags).sort(),
    rows: [...new Set(given.rows.map((id) => id.toLowerCase()))],
    hosts: [...new Set(hosts)].sort(),
  };
}

/** As `URL.host` writes it, so without the standard port; also with `http://` before it. */
function isHost(text: string): boolean {
  const url = `${text.startsWith("http://") ? text : `https://${text}`}/`;
  return URL.canParse(url) && `${new URL(url).origin}/` === url;
}

/** Throws `bad_request` for a path that the manager cannot read or may not read here. */
export function checkPath(
  { settings, prefixes, name }: SourceDefinition,
  { path }: CheckedReference,
): void {
  const message = findPathFault(settings.kind, path);
  if (message !== null) throw toBadRequest([{ path: "path", message }]);
  if (isInPrefixes(prefixes, path)) return;
  throw toBadRequest([
    { path: "path", message: `is outside of the prefixes of "${name}": ${prefixes.join(", ")}.` },
  ]);
}
