import { EVERYONE_TAG, toTagNames } from "../../store/tags/tags-table.ts";

/** Every user has the reserved tag. It is not stored, because a stored tag would look removable. */
export function withoutEveryone(tags: readonly string[]): string[] {
  return toTagNames(tags).filter((tag) => tag !== EVERYONE_TAG);
}
