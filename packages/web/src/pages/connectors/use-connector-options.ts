import { useApi } from "../../api/use-api.ts";

/** The connectors that the user sees, as the options of a filter. */
export function useConnectorOptions({ isOn = true }: { isOn?: boolean } = {}) {
  const { data } = useApi("GET /manager/api/connectors", {}, { isOn });
  return (data?.connectors ?? []).map(({ key, name }) => ({ value: key, label: name }));
}
