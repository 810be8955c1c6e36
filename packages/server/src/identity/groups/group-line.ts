import { isRowTag } from "@hub/contract/row-tag.ts";
import { EVERYONE_TAG, toTagNames } from "../../store/tags/tags-table.ts";

/** The most lines of the table. Each user's groups are compared with all of them. */
export const groupLinesMax = 200;
/** The longest name of a group that is read, in characters. */
export const groupNameCharsMax = 256;
/** The most groups of a user that are read. */
export const groupsMax = 2000;

const rowTagStart = "row-";

/** Whether groups may give a tag. Row tags are for single users whom an admin chose, and all users have `everyone`. */
export function mayGive(tag: string): boolean {
  return tag !== EVERYONE_TAG && !isRowTag(tag);
}

/** Whether tags that begin with this are never the own tag of a row. */
export function isFreeStart(start: string): boolean {
  return start !== "" && !start.startsWith(rowTagStart) && !rowTagStart.startsWith(start);
}

/** The tag that a line makes of what its `*` stands for; null if that is no tag, or one that groups may not give. */
export function toMadeTag(start: string, rest: string): string | null {
  if (rest === "" || rest !== rest.trim()) return null;
  try {
    const [tag = ""] = toTagNames([`${start}${rest}`]);
    return mayGive(tag) ? tag : null;
  } catch {
    return null;
  }
}
