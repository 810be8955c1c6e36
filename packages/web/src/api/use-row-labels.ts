import { useApi } from "./use-api.ts";

/** The API takes no more ids at once. */
const idsMax = 100;

/** The labels of rows by id, as far as the user sees them. Reads the first hundred by one request. */
export function useRowLabels(
  ids: readonly string[],
  { isOn = true }: { isOn?: boolean } = {},
): ReadonlyMap<string, string> {
  const asked = [...new Set(ids)].toSorted().slice(0, idsMax);
  const query = { ids: asked.join(","), limit: idsMax };
  const rows = useApi("GET /manager/api/rows", { query }, { isOn: isOn && asked.length > 0 });
  return new Map((rows.data?.rows ?? []).map(({ id, label }) => [id, label]));
}
