import { countTags } from "../store/tags.ts";
import type { ServiceDeps } from "./service-deps.ts";

/** All tags with how many users and rows have each. */
export function listTags({ store }: Pick<ServiceDeps, "store">) {
  return countTags(store.db);
}
