import { sampleRows } from "../../store/rows/row-summaries.ts";
import { EVERYONE_TAG, toTagNames } from "../../store/tags/tags-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "./load-user.ts";

const namedMax = 10;
const tagsMax = 200;

type Sample = Awaited<ReturnType<typeof sampleRows>>;

/**
 * The rows that a user would gain and lose with these tags, named in a text with commas in between. Throws
 * `not_found`, and `bad_request` for a text that is not a list of tags.
 */
export async function previewTags(
  { store }: Pick<ServiceDeps, "store">,
  userId: string,
  tagsText: string,
): Promise<{ gained: Sample; lost: Sample }> {
  const user = await loadUser(store.db, userId);
  const named = tagsText.split(",", tagsMax).filter((name) => name.trim() !== "");
  if (user.role === "admin") return { gained: nothing, lost: nothing };
  const before = [EVERYONE_TAG, ...user.tags];
  const after = [EVERYONE_TAG, ...toTagNames(named)];
  const sample = (taggedAmong: string[], taggedNoneOf: string[]) =>
    sampleRows(store.db, { taggedAmong, taggedNoneOf }, namedMax);
  return { gained: await sample(after, before), lost: await sample(before, after) };
}

const nothing: Sample = { total: 0, rows: [] };
