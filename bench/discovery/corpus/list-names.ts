import { type Operation, type Query, toAddress } from "../corpus-file.ts";
import { chooseHalf } from "./halves.ts";

/** Every so manieth operation is searched by its name, and each deprecated one. */
const every = 8;
const isDeprecated = ({ deprecated, description }: Operation) =>
  deprecated === true || description.startsWith("Deprecated.");

/** Searches for the exact names of operations. Operations of the same name are answers too. */
export function listNames(operations: readonly Operation[]): Query[] {
  const byName = Map.groupBy(operations, ({ name }) => name.toLowerCase());
  const chosen = operations.filter((one, at) => isDeprecated(one) || at % every === 0);
  const queries = new Map<string, Query>();
  for (const one of chosen) {
    const query = one.name;
    const kind = isDeprecated(one) ? "deprecated name" : "name";
    const answers = (byName.get(query.toLowerCase()) ?? []).map(toAddress);
    queries.set(query.toLowerCase(), { query, kind, answers, half: chooseHalf(query) });
  }
  return [...queries.values()];
}
