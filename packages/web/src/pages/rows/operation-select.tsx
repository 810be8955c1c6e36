import type { ListedOperation } from "@hub/contract/row.ts";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { formatNumber } from "../../ui/text/format.ts";
import styles from "./operation-select.module.css";

const debounceMs = 200;
const offered = 50;
/** The value of a choice is never empty in the library. Keys of operations have no spaces. */
const anyValue = " any";

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
  const [typed, setTyped] = useState("");
  const shown = chosen?.label ?? any ?? "";
  // The text of a choice that the user has not changed is no search.
  const [asked] = useDebouncedValue(typed === shown ? "" : typed.trim().slice(0, 100), debounceMs);
  const found = useApi("GET /manager/api/rows/{row}/operations", {
    params: { row },
    query: { limit: offered, ...(asked !== "" && { q: asked }) },
  });
  const { operations = [], total = 0 } = found.data ?? {};
  const options = operations.map((one) => ({ value: one.key, label: toLabel(one) }));
  const isListed = chosen === null || operations.some(({ key }) => key === chosen.key);
  // Kept for its text, but not among what is found.
  const isHidden = (value: string) => asked !== "" && value === (isListed ? anyValue : chosen.key);
  const left = total - operations.length;
  return (
    <Select
      {...(hasLabel ? { label: "Operation" } : { "aria-label": "Operation" })}
      className={styles.select}
      classNames={{ option: styles.option }}
      searchable
      allowDeselect={false}
      data={[
        ...(any === undefined ? [] : [{ value: anyValue, label: any }]),
        ...(isListed ? [] : [{ value: chosen.key, label: chosen.label }]),
        ...options,
        ...(left > 0 ? [toRest(left)] : []),
      ]}
      // The server has searched.
      filter={({ options: all }) => all.filter((one) => "group" in one || !isHidden(one.value))}
      value={chosen?.key ?? anyValue}
      onChange={(value) => onChange(value === anyValue ? null : value)}
      searchValue={typed}
      onSearchChange={setTyped}
      onFocus={({ currentTarget }) => currentTarget.select()}
      nothingFoundMessage={
        found.error?.message ?? (found.isPending ? "Searching…" : "No operation matches")
      }
      maxDropdownHeight={360}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

function toRest(left: number) {
  const label = `${formatNumber(left)} more: type to search`;
  return { value: " rest", label, disabled: true };
}
