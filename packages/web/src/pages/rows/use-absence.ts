import { useApi } from "../../api/use-api.ts";
import { type Absence, toAbsence } from "./absence.ts";

/** Why the connector of a row is missing; null if it is there. */
export function useAbsence(row: {
  connector: string;
  missing: readonly string[] | null;
}): Absence | null {
  const isOn = row.missing === null;
  const { data } = useApi("GET /manager/api/plugins", {}, { isOn });
  return isOn ? toAbsence(data?.plugins.find(({ key }) => key === row.connector)) : null;
}
