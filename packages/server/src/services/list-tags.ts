import { countTags } from "../store/tags/tags-table.ts";
import type { ServiceDeps } from "./service-deps.ts";

/** All tags, with the number of users and rows of each. */
export function listTags({ store }: Pick<ServiceDeps, "store">) {
  return countTags(store.db);
}
