import type { CountedGroupLine, GroupLineInput } from "@hub/contract/group.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import { type GroupLine, listGroupLines } from "../../store/users/group-lines-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import {
  countLine,
  type GroupLinesInput,
  replaceLines,
  showGroups,
  toLine,
} from "./manage-groups.ts";

type GroupDeps = Pick<ServiceDeps, "store" | "now" | "config">;
type Named = Pick<CountedGroupLine, "pattern" | "source">;

export async function listGroupLinesOf(deps: GroupDeps): Promise<CountedGroupLine[]> {
  return (await showGroups(deps)).lines;
}

/** Puts a line in the place of the one for the same groups, or after the others. */
export async function setGroupLine(
  deps: GroupDeps,
  actor: Actor,
  line: GroupLineInput & Named,
): Promise<CountedGroupLine> {
  const { store } = deps;
  const { revision, lines } = await listGroupLines(store.db);
  const at = lines.findIndex((other) => isSame(other, line));
  const kept = lines.map(toInput);
  const next = at === -1 ? [...kept, line] : kept.with(at, line);
  await replaceLines(deps, actor, { revision, lines: next });
  const named = { ...line, pattern: line.pattern.trim() };
  const stored = (await listGroupLines(store.db)).lines.find((other) => isSame(other, named));
  if (stored === undefined) {
    throw new HubError("conflict", "The groups were changed in the meantime. Load them again.");
  }
  return await countLine(deps, stored);
}

/** Throws `not_found` for a group without a line. */
export async function deleteGroupLine(
  deps: GroupDeps,
  actor: Actor,
  named: Named,
): Promise<CountedGroupLine> {
  const { revision, lines } = await listGroupLines(deps.store.db);
  const line = lines.find((other) => isSame(other, named));
  if (line === undefined) {
    throw new HubError("not_found", `No line names ${named.pattern}. See \`hub group list\`.`);
  }
  const counted = await countLine(deps, line);
  const kept = lines.filter((other) => other !== line).map(toInput);
  await replaceLines(deps, actor, { revision, lines: kept });
  return counted;
}

function isSame(a: Named, b: Named): boolean {
  return a.pattern === b.pattern && a.source === b.source;
}

function toInput(line: GroupLine): GroupLinesInput["lines"][number] {
  const { id: _, ...input } = toLine(line);
  return input;
}
