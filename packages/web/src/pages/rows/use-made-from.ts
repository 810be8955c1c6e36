import { useApi } from "../../api/use-api.ts";

/**
 * What the hub makes the rows of a connector from, as a sentence. Null if they are added by hand, or while
 * it is not known.
 */
export function useMadeFrom(connector: string): string | null {
  const { data } = useApi("GET /manager/api/connectors", {});
  return data?.connectors.find(({ key }) => key === connector)?.made_from ?? null;
}
