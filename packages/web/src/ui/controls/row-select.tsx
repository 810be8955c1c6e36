import type { Row } from "@hub/contract/row.ts";
import { useApi } from "../../api/use-api.ts";
import { SearchSelect, type SearchSelectLook, useSelectSearch } from "./search-select.tsx";

const offered = 20;

type Props = Partial<SearchSelectLook> & {
  /** The id of the chosen row; null for none. */
  value: string | null;
  onChange: (row: string | null) => void;
  /** Only rows of this connector. */
  connector?: string | undefined;
};

/**
 * Chooses a row. The server searches, once the field has the focus: a hub may have thousands of rows. One
 * request reads the label of the chosen row.
 */
export function RowSelect({ value, onChange, connector, any, label = "Row", ...look }: Props) {
  const chosen = useApi(
    "GET /manager/api/rows",
    { query: { ids: value ?? "", limit: 1 } },
    { isOn: value !== null },
  );
  // A deleted row keeps the beginning of its id.
  const chosenLabel = chosen.data?.rows[0]?.label ?? (chosen.isPending ? "…" : value?.slice(0, 8));
  const search = useSelectSearch(value === null ? (any ?? "") : (chosenLabel ?? ""));
  const found = useApi(
    "GET /manager/api/rows",
    {
      query: {
        limit: offered,
        ...(search.asked !== "" && { q: search.asked }),
        ...(connector !== undefined && { connector }),
      },
    },
    { isOn: search.isUsed, keepsLast: true },
  );
  return (
    <SearchSelect
      {...look}
      label={label}
      any={any}
      search={search}
      chosen={value === null ? null : { value, label: chosenLabel ?? value }}
      onChange={onChange}
      found={(found.data?.rows ?? []).map((row) => toOption(row, connector))}
      rest={found.data?.next == null ? null : "More rows: type to search"}
      nothing={found.error?.message ?? (found.isPending ? "Searching…" : "No row matches")}
    />
  );
}

function toOption({ id, label, connector }: Row, of: string | undefined) {
  return { value: id, label, ...(of === undefined && { note: connector }) };
}
