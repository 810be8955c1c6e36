import type { Caller } from "../../caller.ts";
import { mayUseReference } from "../../connectors/managed/may-use-reference.ts";
import { readDefinitions } from "../../connectors/managed/read-definitions.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** The references that this user may name in secrets of workflows, by name. */
export async function listUsable(
  { store }: Pick<ServiceDeps, "store">,
  caller: Pick<Caller, "role" | "tags">,
): Promise<{ id: string; name: string }[]> {
  const definitions = [...(await readDefinitions(store.db)).values()];
  return definitions
    .filter((reference) => mayUseReference(caller, reference))
    .map(({ id, name }) => ({ id, name }));
}
