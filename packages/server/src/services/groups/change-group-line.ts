import type { CountedGroupLine, GroupLineInput } from "@hub/contract/group.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { type GroupLinesInput, setGroups, showGroups } from "./manage-groups.ts";

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
  const { revision, lines } = await showGroups(deps);
  const at = lines.findIndex((other) => isSame(other, line));
  const kept = lines.map(toInput);
  const next = at === -1 ? [...kept, line] : kept.with(at, line);
  const set = await setGroups(deps, actor, { revision, lines: next });
  const stored = set.lines.find((other) =>
    isSame(other, { ...line, pattern: line.pattern.trim() }),
  );
  if (stored === undefined) throw new Error("A line of groups was not stored");
  return stored;
}

/** Throws `not_found` for a group without a line. */
export async function deleteGroupLine(
  deps: GroupDeps,
  actor: Actor,
  named: Named,
): Promise<CountedGroupLine> {
  const { revision, lines } = await showGroups(deps);
  const line = lines.find((other) => isSame(other, named));
  if (line === undefined) {
    throw new HubError("not_found", `No line names ${named.pattern}. See \`hub group list\`.`);
  }
  const kept = lines.filter((other) => other !== line).map(toInput);
  await setGroups(deps, actor, { revision, lines: kept });
  return line;
}

function isSame(a: Named, b: Named): boolean {
  return a.pattern === b.pattern && a.source === b.source;
}

function toInput(line: CountedGroupLine): GroupLinesInput["lines"][number] {
  const { id: _, users: __, ...input } = line;
  return input;
}
