import type { ListedOperation } from "@hub/contract/row.ts";
import { useApi } from "../../api/use-api.ts";
import { SearchSelect, useSelectSearch } from "../../ui/controls/search-select.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import styles from "./operation-select.module.css";

const offered = 50;

type Props = {
  row: string;
  /** The chosen operation; null for any. */
  chosen: { key: string; label: string } | null;
  toLabel: (operation: ListedOperation) => string;
  onChange: (key: string | null) => void;
  /** Offers to choose no operation, by these words. */
  any?: string;
  /** Shows the label above the field. */
  hasLabel?: boolean;
};

/** Chooses an operation of a row, with a search, because there may be thousands. */
export function OperationSelect({ row, chosen, toLabel, onChange, any, hasLabel = false }: Props) {
  const search = useSelectSearch(chosen?.label ?? any ?? "");
  const { asked, isUsed: isOn } = search;
  const query = { limit: offered, ...(asked !== "" && { q: asked }) };
  const input = { params: { row }, query };
  const found = useApi("GET /manager/api/rows/{row}/operations", input, { isOn, keepsLast: true });
  const { operations = [], total = 0 } = found.data ?? {};
  const left = total - operations.length;
  return (
    <SearchSelect
      label="Operation"
      hasLabel={hasLabel}
      className={styles.select}
      any={any}
      search={search}
      chosen={chosen === null ? null : { value: chosen.key, label: chosen.label }}
      onChange={onChange}
      found={operations.map((one) => ({ value: one.key, label: toLabel(one) }))}
      rest={left > 0 ? `${formatNumber(left)} more: type to search` : null}
      nothing={found.error?.message ?? (found.isPending ? "Searching…" : "No operation matches")}
    />
  );
}
