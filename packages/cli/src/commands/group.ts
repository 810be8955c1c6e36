import type { CountedGroupLine, UserGroups } from "@hub/contract/group.ts";
import { command, group, list } from "../declare/command.ts";
import { argument, choice, findUserId, flag, option, repeated } from "../declare/parameters.ts";
import { detail, table } from "../declare/view.ts";

const loadGroups = () => import("@hub/server/services/groups/change-group-line.ts");

const toLines = table<CountedGroupLine>(
  [
    ["group", ({ pattern }) => pattern],
    ["from", ({ source }) => source],
    "role",
    ["tags", ({ tags, tag_start: start }) => [...tags, ...(start === null ? [] : [`${start}*`])]],
    "users",
  ],
  "No group gives anything yet. See `hub group set --help`.",
);

const source = choice("<source>", "only groups that come from there", ["any", "sso", "scim"]);

export const define = group(
  {
    about:
      "Groups of your directory give tags and the role to their members. See `hub help groups`.",
    examples: [
      "group set /eng/backend --tag backend --tag code",
      "group set '/eng/*' --tag-start team-",
      "group set contractors --role none",
      "group show ada@example.com",
    ],
  },
  [
    list("list", "list what groups give", {
      reads: async ({ services }) => {
        const { listGroupLinesOf } = await loadGroups();
        return { items: await listGroupLinesOf(services), next: null };
      },
      shows: toLines,
    }),
    command("set", "set what a group gives, for the users whose groups are known at once", {
      takes: {
        pattern: argument("<group>", "name of a group, or a pattern with *"),
        tag: repeated("<tag>", "members get this tag; may be repeated"),
        tagStart: option("<text>", "members also get a tag made of this and of what * stands for"),
        role: choice("<role>", "none refuses members (default: user)", ["user", "admin", "none"]),
        source,
        exact: flag("a * in the name stands for itself"),
        adminByScim: flag("the role admin counts for groups that come by SCIM, too"),
      },
      async does({ services, actor }, { pattern, tag = [], exact, ...given }) {
        const { setGroupLine } = await loadGroups();
        return await setGroupLine(services, actor, {
          pattern,
          is_pattern: exact !== true && pattern.includes("*"),
          tags: tag,
          tag_start: given.tagStart ?? null,
          role: given.role ?? "user",
          source: given.source ?? "any",
          admin_by_scim: given.adminByScim ?? false,
        });
      },
      shows: (line) => toLines([line]),
    }),
    command("delete", "remove what a group gives", {
      takes: { pattern: argument("<group>", "as `hub group list` shows it"), source },
      async does({ services, actor }, { pattern, source: from = "any" }) {
        const { deleteGroupLine } = await loadGroups();
        return await deleteGroupLine(services, actor, { pattern, source: from });
      },
      shows: ({ pattern }) => `${pattern} gives nothing any more.`,
    }),
    command("show", "show where the tags and the role of a user come from", {
      takes: { id: argument("<email>", undefined, findUserId) },
      async does({ services }, { id }) {
        const { showUserGroups } = await import("@hub/server/services/groups/show-user-groups.ts");
        return await showUserGroups(services, id);
      },
      shows: detail<UserGroups>([
        ["role by hand", ({ role_by_hand }) => role_by_hand],
        ["role by groups", ({ role_by_groups }) => role_by_groups ?? "no group names one"],
        ["tags by hand", ({ tags_by_hand }) => tags_by_hand],
        ["tags by groups", ({ tags_by_groups }) => tags_by_groups],
        ["disabled by", ({ disabled_by }) => disabled_by],
        ["groups", ({ sources }) => sources.flatMap(toGroupTexts)],
        ["not known", ({ sources }) => sources.flatMap(({ problem }) => problem ?? [])],
        ["no tag made of", ({ untagged }) => untagged],
        ["prepared for", ({ prepared_for }) => prepared_for],
        ["confirmed", ({ provider }) => provider?.confirmed_at ?? null],
        ["ended", ({ provider }) => provider?.ended_at ?? null],
      ]),
    }),
  ],
);

function toGroupTexts({ source, groups }: UserGroups["sources"][number]): string[] {
  return groups.map((name) => (source === "sso" ? name : `${name} (${source})`));
}
