import type { ReferenceDefinition } from "../../secrets/sources/secret-definitions.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";

/** Whether a user may name the reference in secrets of workflows, and their runs may use it. Admins may name all. */
export function mayUseReference(
  { role, tags }: { role: string; tags: Iterable<string> },
  reference: Pick<ReferenceDefinition, "tags">,
): boolean {
  if (role === "admin") return true;
  const allowed = new Set(reference.tags);
  return allowed.has(EVERYONE_TAG) || [...tags].some((tag) => allowed.has(tag));
}
