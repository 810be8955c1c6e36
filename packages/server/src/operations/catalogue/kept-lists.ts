import type { Json } from "@hub/connector";
import type { ToolEntry } from "@hub/contract/tool-entry.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { KeptAnswer } from "../answers/kept-answer.ts";
import { type CatalogueRow, listEntries } from "./tool-catalogue.ts";

/** With its texts, an entry takes about 1.3 KB. */
const entriesMax = 10_000;
const listsMax = 4;

/** The answers of `hub_list`, without its choices: one for all callers who see the same rows. */
export type KeptLists = {
  /** The answer must depend on the entries alone. */
  get(
    rows: readonly CatalogueRow[],
    toAnswer: (entries: readonly ToolEntry[]) => Json,
  ): Promise<KeptAnswer>;
};

type KeptList = { rows: readonly CatalogueRow[]; entries: number; answer: KeptAnswer };

/** Keeps the lists that were asked for last. After a change, all rows are new, so that no list is found by them. */
export function createKeptLists(): KeptLists {
  let lists: readonly KeptList[] = [];
  return {
    async get(rows, toAnswer) {
      const found = lists.find((list) => isSame(list.rows, rows));
      if (found !== undefined) {
        lists = [found, ...lists.filter((list) => list !== found)];
        return found.answer;
      }
      const entries = await listEntries(rows, yieldToEventLoop);
      const answer = new KeptAnswer(toAnswer(entries));
      // Such rows are made for one request: no later list would be found by them, and others would lose their place.
      if (rows.some(({ partOf }) => partOf !== undefined)) return answer;
      lists = takeAllowed([{ rows, entries: entries.length, answer }, ...lists]);
      return answer;
    },
  };
}

function isSame(one: readonly CatalogueRow[], other: readonly CatalogueRow[]): boolean {
  return one.length === other.length && one.every((row, at) => row === other[at]);
}

function takeAllowed(lists: readonly KeptList[]): KeptList[] {
  let left = entriesMax;
  const allowed = lists.filter(({ entries }) => {
    // A longer one takes the place of no other.
    if (entries > left) return false;
    left -= entries;
    return true;
  });
  return allowed.slice(0, listsMax);
}
