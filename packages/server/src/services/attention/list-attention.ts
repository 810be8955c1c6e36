import type { AttentionItem } from "@hub/contract/attention.ts";
import type { Caller } from "../../caller.ts";
import { type Page, type PageInput, parsePage } from "../../lib/input/page.ts";
import { toCursorText } from "../../lib/input/page-cursor.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findCheckItems, findPluginItems } from "./find-hub-items.ts";
import { findSignInItems, findTokenItems, findUserItems } from "./find-people-items.ts";
import { findRowItems, quoteReasons } from "./find-row-items.ts";
import {
  findApprovalItems,
  findCallItems,
  findChannelItems,
  findWorkflowItems,
} from "./find-work-items.ts";

type Finder = (deps: ServiceDeps, caller: Caller) => Promise<AttentionItem[]>;

const forAll: readonly Finder[] = [
  findApprovalItems,
  findCallItems,
  findWorkflowItems,
  findChannelItems,
  findRowItems,
  findTokenItems,
];
const forAdmins: readonly Finder[] = [
  findCheckItems,
  findPluginItems,
  findUserItems,
  findSignInItems,
];

/**
 * One page of what needs a person, the most harmful first and the newest first among equals. Users get only what they see or
 * own; what concerns the hub itself is for admins.
 */
export async function listAttention(
  deps: ServiceDeps,
  caller: Caller,
  input: PageInput = {},
): Promise<Page<AttentionItem> & { total: number }> {
  const { limit, cursor } = parsePage(input, "string");
  const found: Array<{ key: string; item: AttentionItem }> = [];
  for (const find of caller.role === "admin" ? [...forAdmins, ...forAll] : forAll) {
    for (const item of await find(deps, caller)) found.push({ key: toSortKey(item), item });
    await yieldToEventLoop();
  }
  found.sort((one, other) => (one.key < other.key ? -1 : 1));
  const start = cursor?.key ?? "";
  const rest = start === "" ? found : found.filter(({ key }) => key > start);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: await quoteReasons(
      deps,
      caller,
      shown.map(({ item }) => item),
    ),
    next:
      rest.length > limit && last !== undefined ? toCursorText({ key: last.key, id: "" }) : null,
    total: found.length,
  };
}

/** A text by which items sort. Times of the same length sort as text, so their complement sorts the newest first. */
function toSortKey({ kind, harm, since, subject }: AttentionItem): string {
  const age = since === null ? maxMs : maxMs - Date.parse(since);
  const digits = String(age).padStart(maxMs.toString().length, "0");
  return `${String(100 - harm).padStart(3, "0")} ${digits} ${kind} ${subject.name} ${subject.id}`;
}

const maxMs = 9_999_999_999_999;
