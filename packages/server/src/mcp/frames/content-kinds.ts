import type { ContentKind } from "../../connectors/connector-port.ts";

const oldest: readonly ContentKind[] = ["image", "resource"];
const withAudio = new Set<ContentKind>([...oldest, "audio"]);
const all = new Set<ContentKind>([...withAudio, "resource_link"]);

/** By protocol version. Versions that are not here know all kinds. */
const kindsOf: ReadonlyMap<string, ReadonlySet<ContentKind>> = new Map([
  ["2024-11-05", new Set(oldest)],
  ["2025-03-26", withAudio],
]);

/**
 * The content blocks that a client of this protocol version knows. A client that meets an unknown one may
 * refuse the whole result. Only clients before 2025-06-18 name no version, so null is the oldest.
 */
export function toContentKinds(version: string | null): ReadonlySet<ContentKind> {
  return kindsOf.get(version ?? "2024-11-05") ?? all;
}
