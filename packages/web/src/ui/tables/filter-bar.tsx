import { Button, NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./filter-bar.module.css";

type BarProps = {
  children: ReactNode;
  /** Shows "Clear filters". Left out if nothing is filtered. */
  onClear?: (() => void) | undefined;
};

/** The filters above a table. */
export function FilterBar({ children, onClear }: BarProps) {
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      {children}
      {onClear !== undefined && (
        <Button variant="subtle" size="xs" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

type FilterOption = { value: string; label: string };

type SelectProps = {
  label: string;
  /** The first option, which filters nothing: "Any status". */
  any: string;
  options: readonly FilterOption[];
  value: string | undefined;
  onChange: (value: string) => void;
};

/** A filter with some values. A value that is not among them, such as a deleted row's, is shown too. */
export function FilterSelect({ label, any, options, value, onChange }: SelectProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return (
    <NativeSelect
      aria-label={label}
      size="xs"
      data={[
        { value: "", label: any },
        ...options,
        ...(isKnown ? [] : [{ value, label: value.slice(0, 12) }]),
      ]}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
