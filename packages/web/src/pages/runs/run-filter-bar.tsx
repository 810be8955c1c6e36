import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { formatExact } from "../../ui/format.ts";
import styles from "./run-filter-bar.module.css";
import type { RunFilters } from "./run-filters.ts";

type Props = {
  filters: RunFilters;
  onChange: (change: Record<string, string | undefined>) => void;
  children: ReactNode;
};

const statuses = [
  { value: "", label: "Any status" },
  { value: "success", label: "Success" },
  { value: "error", label: "Error" },
  { value: "denied", label: "Denied" },
  { value: "cancelled", label: "Cancelled" },
  { value: "running", label: "Running" },
];
const sources = [
  { value: "", label: "Any source" },
  { value: "mcp", label: "Client" },
  { value: "test", label: "Test" },
  { value: "retry", label: "Retry" },
];
const spans = [
  { value: "", label: "Any time" },
  { value: "1", label: "Last hour" },
  { value: "24", label: "Last day" },
  { value: "168", label: "Last week" },
];

/** The filters of the runs. Each choice takes effect at once and stands in the address. */
export function RunFilterBar({ filters, onChange, children }: Props) {
  const { isAdmin } = useMe();
  const rows = useApi("GET /manager/api/rows", {});
  const users = useApi("GET /admin/api/users", {}, { isOn: isAdmin });
  const rowOptions = (rows.data?.rows ?? []).map(({ id, label }) => ({ value: id, label }));
  const userOptions = (users.data?.users ?? []).map(({ id, email }) => ({
    value: id,
    label: email,
  }));
  const span = describeSpan(filters);
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      <NativeSelect
        aria-label="Time"
        size="xs"
        data={span === null ? spans : [{ value: "span", label: span }, ...spans]}
        value={span === null ? "" : "span"}
        onChange={({ currentTarget: { value } }) => onChange(toSpan(value))}
      />
      <NativeSelect
        aria-label="Status"
        size="xs"
        data={statuses}
        value={filters.status ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ status: value })}
      />
      <NativeSelect
        aria-label="Source"
        size="xs"
        data={sources}
        value={filters.source ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ source: value })}
      />
      <NativeSelect
        aria-label="Row"
        size="xs"
        data={[{ value: "", label: "Any row" }, ...withChosen(rowOptions, filters.row)]}
        value={filters.row ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ row: value })}
      />
      {isAdmin && (
        <NativeSelect
          aria-label="User"
          size="xs"
          data={[{ value: "", label: "Any user" }, ...withChosen(userOptions, filters.user)]}
          value={filters.user ?? ""}
          onChange={({ currentTarget: { value } }) => onChange({ user: value })}
        />
      )}
      <OperationFilter key={filters.operation ?? ""} filters={filters} onChange={onChange} />
      {children}
    </div>
  );
}

function OperationFilter({ filters, onChange }: Pick<Props, "filters" | "onChange">) {
  const [typed, setTyped] = useState(filters.operation ?? "");
  const apply = useDebouncedCallback((value: string) => onChange({ operation: value.trim() }), 600);
  return (
    <TextInput
      aria-label="Operation"
      placeholder="Operation"
      size="xs"
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        apply(value);
      }}
    />
  );
}

type Option = { value: string; label: string };

/** With the chosen one, also if it has been deleted. */
function withChosen(options: Option[], chosen: string | undefined): Option[] {
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: chosen, label: chosen.slice(0, 8) }];
}

function toSpan(hours: string): { from: string | undefined; to: undefined } {
  if (hours === "") return { from: undefined, to: undefined };
  const from = new Date(Date.now() - Number(hours) * 3_600_000);
  return { from: from.toISOString(), to: undefined };
}

function describeSpan({ from, to }: RunFilters): string | null {
  if (from === undefined && to === undefined) return null;
  if (to === undefined) return `Since ${formatExact(from ?? "")}`;
  return `${from === undefined ? "" : formatExact(from)} – ${formatExact(to)}`;
}
