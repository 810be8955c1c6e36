import {
  type CountedGroupLine,
  type GroupLines,
  groupLinesInputSchema,
} from "@hub/contract/group.ts";
import type { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { applyLines } from "../../identity/groups/apply-lines.ts";
import { isFreeStart, mayGive } from "../../identity/groups/group-line.ts";
import { matchGroup } from "../../identity/groups/match-group.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { transaction } from "../../store/database/database.ts";
import { toTagNames } from "../../store/tags/tags-table.ts";
import {
  type GroupLine,
  listGroupLines,
  replaceGroupLines,
} from "../../store/users/group-lines-table.ts";
import {
  countGroupNames,
  countUsersInGroups,
  countUsersToApply,
} from "../../store/users/user-groups-table.ts";
import type { ServiceDeps } from "../service-deps.ts";

type GroupDeps = Pick<ServiceDeps, "store" | "now" | "config">;
export type GroupLinesInput = z.input<typeof groupLinesInputSchema>;

const knownMax = 500;
/** Of the names of groups of all users, for the numbers of patterns. */
const namesMax = 10_000;

/** The lines, what each gives now, and the groups that users have. */
export async function showGroups(deps: GroupDeps): Promise<GroupLines> {
  const { config, store } = deps;
  const { lines, revision } = await listGroupLines(store.db);
  const known = await listKnown(deps);
  const named = new Set<Known>();
  const counted: GroupLines["lines"] = [];
  for (const line of lines) {
    const matched = known.filter((group) => isNamedBy(line, group));
    for (const group of matched) named.add(group);
    counted.push({ ...toLine(line), users: await countUsers(deps, line, matched) });
    // Lets calls run in between: there may be 10,000 names for each of 200 lines.
    await yieldToEventLoop();
  }
  return {
    revision,
    lines: counted,
    claim: config.ssoGroupsClaim,
    required_group: config.ssoRequiredGroup,
    waiting: await countUsersToApply(store.db, revision),
    known: known.slice(0, knownMax).map((group) => ({ ...group, is_named: named.has(group) })),
  };
}

/** A line with its number of users. */
export async function countLine(deps: GroupDeps, line: GroupLine): Promise<CountedGroupLine> {
  const matched = (await listKnown(deps)).filter((group) => isNamedBy(line, group));
  return { ...toLine(line), users: await countUsers(deps, line, matched) };
}

type Known = Pick<GroupLines["known"][number], "name" | "source" | "users">;

async function listKnown({ store }: GroupDeps): Promise<Known[]> {
  const names = await countGroupNames(store.db, namesMax);
  return names.map(({ source, name, users }) => ({
    name,
    source: source === "sso" ? ("sso" as const) : ("scim" as const),
    users,
  }));
}

function isNamedBy(line: GroupLine, { name, source }: Known): boolean {
  return (line.source === "any" || line.source === source) && matchGroup(line, name) !== null;
}

function countUsers({ store }: GroupDeps, line: GroupLine, matched: readonly Known[]) {
  return countUsersInGroups(store.db, {
    names: [...new Set(matched.map(({ name }) => name))].slice(0, namesAtOnce),
    isSso: line.source !== "scim",
    isScim: line.source !== "sso",
  });
}

/** Each database limits the parameters of a statement. */
const namesAtOnce = 1_000;

/** Users to whom a request applies lines before it is answered. The job does the rest. */
const usersPerRequest = 500;

/** As `replaceLines`, for the first users. Returns what the page shows, with how many users are left. */
export async function setGroups(
  deps: GroupDeps,
  actor: Actor,
  input: GroupLinesInput,
): Promise<GroupLines> {
  await replaceLines(deps, actor, input, usersPerRequest);
  return await showGroups(deps);
}

/** Replaces all lines, and applies them to the users whose groups are known. Throws `conflict` for a former revision. */
export async function replaceLines(
  deps: Pick<GroupDeps, "store" | "now">,
  actor: Actor,
  input: GroupLinesInput,
  usersMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  checkChangesGroups(actor);
  const { revision, lines } = checkInput(groupLinesInputSchema, input);
  const wanted = lines.map((line) => toStored(line));
  checkTwice(wanted);
  const { store, now } = deps;
  const stamp = stampChange(actor, now());
  await transaction(store.db, async (trx) => {
    const before = await listGroupLines(trx);
    await replaceGroupLines(trx, wanted, revision);
    await recordChange(trx, stamp, {
      action: "group.update",
      kind: "group",
      id: "groups",
      name: "Groups",
      detail: {
        lines: { from: before.lines.map(describeLine), to: wanted.map(describeLine) },
      },
    });
  });
  // The job finishes it if this process ends before, and does what is left.
  let begun = 0;
  await applyLines({ db: store.db, now }, () => {
    begun += 1;
    return begun > usersMax;
  });
}

/** A stolen token would give itself tags and the role admin by a line for a group of its user. */
export function checkChangesGroups({ via }: Actor): void {
  if (via === "session" || via === "command line") return;
  throw new HubError(
    "forbidden",
    "A token reads groups and cannot change them. Sign in and open Users, or run `hub group` on the hub's machine.",
  );
}

function toStored(line: z.output<typeof groupLinesInputSchema>["lines"][number]): GroupLine {
  const { pattern, is_pattern: isPattern } = line;
  const tags = toTagNames(line.tags);
  const [reserved] = tags.filter((tag) => !mayGive(tag));
  if (reserved !== undefined) {
    throw new HubError(
      "bad_request",
      `Groups cannot give the tag ${reserved}: all users have "everyone", and the own tag of a row is for single users.`,
    );
  }
  if (line.tag_start !== null) checkStart(line.tag_start, { pattern, isPattern });
  if (isPattern && !pattern.includes("*")) {
    throw new HubError("bad_request", `The pattern "${pattern}" has no *. It names one group.`);
  }
  return {
    id: crypto.randomUUID(),
    source: line.source,
    pattern,
    isPattern,
    tags,
    tagStart: line.tag_start === null ? null : line.tag_start.toLowerCase(),
    role: line.role,
    adminByScim: line.admin_by_scim,
  };
}

function checkStart(
  start: string,
  { pattern, isPattern }: Pick<GroupLine, "pattern" | "isPattern">,
): void {
  if (!isPattern || pattern.split("*").length !== 2) {
    throw new HubError(
      "bad_request",
      `Tags can be made of groups only by a pattern with one *, and "${pattern}" is none.`,
    );
  }
  // Throws for a beginning that no tag can have.
  toTagNames([`${start}x`]);
  if (isFreeStart(start.toLowerCase())) return;
  throw new HubError(
    "bad_request",
    `Tags of groups cannot begin with "${start}": the own tags of rows begin with "row-".`,
  );
}

function checkTwice(lines: readonly GroupLine[]): void {
  const seen = new Set<string>();
  for (const { source, pattern, isPattern } of lines) {
    const key = JSON.stringify([source, pattern, isPattern]);
    if (seen.has(key)) {
      throw new HubError("bad_request", `Two lines name "${pattern}". Make one of them.`);
    }
    seen.add(key);
  }
}

export function toLine(line: GroupLine) {
  return {
    id: line.id,
    source: line.source,
    pattern: line.pattern,
    is_pattern: line.isPattern,
    tags: [...line.tags],
    tag_start: line.tagStart,
    role: line.role,
    admin_by_scim: line.adminByScim,
  };
}

function describeLine({ pattern, tags, tagStart, role }: GroupLine): string {
  const given = [...tags, ...(tagStart === null ? [] : [`${tagStart}*`])];
  return `${pattern}: ${[role, ...given].join(", ")}`;
}
