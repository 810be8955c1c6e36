import type { RowAccess } from "@hub/contract/row-access.ts";
import { type Choice, splitChoices, toPerson } from "./people-field.tsx";

/** The people and tags of a row as choices. */
export function toChoices({ people, tags }: Pick<RowAccess, "people" | "tags">): Choice[] {
  return [...people.map(toPerson), ...tags.map((name): Choice => ({ kind: "tag", name }))];
}

/** What a save sends: all tags, and the people who come and go. Null if nothing has changed. */
export function findAccessChange(
  before: Pick<RowAccess, "people" | "tags">,
  chosen: readonly Choice[],
): { tags: string[]; give: string[]; take: string[] } | null {
  const { tags, people } = splitChoices(chosen);
  const had = new Set(before.people.map(({ id }) => id));
  const has = new Set(people);
  const give = people.filter((id) => !had.has(id));
  const take = [...had].filter((id) => !has.has(id));
  const areSame = tags.toSorted().join() === before.tags.toSorted().join();
  return areSame && give.length + take.length === 0 ? null : { tags, give, take };
}
