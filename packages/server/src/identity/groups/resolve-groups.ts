import type { GroupLine, GroupSourceKind } from "../../store/users/group-lines-table.ts";
import { mayGive, toMadeTag } from "./group-line.ts";
import { matchGroup } from "./match-group.ts";

/** The groups of a user by one source, such as the tokens of a provider. */
export type NamedGroups = { kind: GroupSourceKind; names: readonly string[] };

/** What the groups of a user give. */
export type GroupGrant = {
  /** In alphabetical order. */
  tags: string[];
  /** `none` refuses the user. Null if no line names a group of the user: then groups say nothing of the role. */
  role: "admin" | "user" | "none" | null;
  /** Groups that a line names, but of which it cannot make a tag. In alphabetical order. */
  untagged: string[];
};

/** What the lines give for these groups. The role `none` wins over all others, and `admin` over `user`. */
export function resolveGroups(
  lines: readonly GroupLine[],
  sources: readonly NamedGroups[],
): GroupGrant {
  const tags = new Set<string>();
  const untagged = new Set<string>();
  const roles = new Set<GroupLine["role"]>();
  for (const { kind, names } of sources) {
    const known = new Set(names);
    for (const line of lines) {
      if (line.source !== "any" && line.source !== kind) continue;
      for (const { name, rest } of listMatches(line, known)) {
        if (mayGiveRole(line, kind)) roles.add(line.role);
        for (const tag of line.tags) if (mayGive(tag)) tags.add(tag);
        if (line.tagStart === null) continue;
        const made = toMadeTag(line.tagStart, rest);
        if (made === null) untagged.add(name);
        else tags.add(made);
      }
    }
  }
  return { tags: [...tags].sort(), role: toStrongest(roles), untagged: [...untagged].sort() };
}

/** SCIM gives the role admin only by lines that were ticked for it: a stolen SCIM token would make admins. */
function mayGiveRole(
  { role, adminByScim }: Pick<GroupLine, "role" | "adminByScim">,
  kind: GroupSourceKind,
) {
  return role !== "admin" || kind !== "scim" || adminByScim;
}

function listMatches(line: GroupLine, known: ReadonlySet<string>) {
  if (!line.isPattern) return known.has(line.pattern) ? [{ name: line.pattern, rest: "" }] : [];
  return [...known].flatMap((name) => {
    const rest = matchGroup(line, name);
    return rest === null ? [] : [{ name, rest }];
  });
}

function toStrongest(roles: ReadonlySet<GroupLine["role"]>): GroupGrant["role"] {
  return (["none", "admin", "user"] as const).find((role) => roles.has(role)) ?? null;
}
