import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import styles from "./search-select.module.css";

const debounceMs = 250;
const askedCharsMax = 100;
/** The value of a choice is never empty in the library, and no id or key has a space. */
const anyValue = " any";
const restValue = " rest";

export type SearchOption = {
  value: string;
  label: string;
  /** Shown softly after the label, such as the connector of a row. */
  note?: string;
};

export type SelectSearch = {
  typed: string;
  setTyped: (text: string) => void;
  /** What the server is asked for: what the user typed, after a pause. */
  asked: string;
  /** True from the first focus on. Before it, nothing is asked. */
  isUsed: boolean;
  setUsed: (isUsed: boolean) => void;
};

/** The search of a `SearchSelect`. `shown` is the text of the choice, which is no search. */
export function useSelectSearch(shown: string): SelectSearch {
  const [typed, setTyped] = useState("");
  const [isUsed, setUsed] = useState(false);
  const text = typed === shown ? "" : typed.trim().slice(0, askedCharsMax);
  const [asked] = useDebouncedValue(text, debounceMs);
  return { typed, setTyped, asked, isUsed, setUsed };
}

/** How a select over what the server finds looks. Its makers share these. */
export type SearchSelectLook = {
  label: string;
  /** Shows the label above the field. */
  hasLabel?: boolean;
  /** Offers to choose none, by these words. */
  any?: string | undefined;
  placeholder?: string;
  description?: string;
  error?: ReactNode;
  size?: "xs" | "sm";
  className?: string | undefined;
  isDisabled?: boolean;
};

type Props = SearchSelectLook & {
  search: SelectSearch;
  chosen: SearchOption | null;
  onChange: (value: string | null) => void;
  /** Offered before what is found, such as "Mine". */
  first?: readonly SearchOption[];
  /** What the server found. */
  found: readonly SearchOption[];
  /** Says that there are more, such as "120 more: type to search". Null without more. */
  rest: string | null;
  /** Shown if nothing is offered: that it is searched, that nothing matches, or what failed. */
  nothing: string;
};

/** A select whose options the server searches, because there may be thousands. */
export function SearchSelect(props: Props) {
  const { search, chosen, onChange, first = [], found, rest, nothing, any, hasLabel } = props;
  const { label, placeholder, description, error, size = "sm", className, isDisabled } = props;
  const { typed, setTyped, asked, setUsed } = search;
  const offered = [...(asked === "" ? first : []), ...withoutFirst(found, first)];
  const isListed = chosen === null || offered.some(({ value }) => value === chosen.value);
  const notes = new Map(offered.map(({ value, note }) => [value, note]));
  // Kept for its text, but not among what is found.
  const isHidden = (value: string) =>
    asked !== "" && value === (isListed ? anyValue : chosen.value);
  return (
    <Select
      {...(hasLabel ? { label } : { "aria-label": label })}
      className={className ?? ""}
      classNames={{ option: styles.option ?? "" }}
      size={size}
      searchable
      allowDeselect={false}
      disabled={isDisabled ?? false}
      {...(description !== undefined && { description })}
      {...(placeholder !== undefined && { placeholder })}
      error={error}
      data={[
        ...(any === undefined ? [] : [{ value: anyValue, label: any }]),
        ...(isListed ? [] : [{ value: chosen.value, label: chosen.label }]),
        ...offered.map(({ value, label: text }) => ({ value, label: text })),
        ...(rest === null ? [] : [{ value: restValue, label: rest, disabled: true }]),
      ]}
      // The server has searched.
      filter={({ options }) => options.filter((one) => "group" in one || !isHidden(one.value))}
      renderOption={({ option }) => (
        <span>
          {option.label}
          {notes.get(option.value) !== undefined && (
            <span className={styles.note}>{` ${notes.get(option.value)}`}</span>
          )}
        </span>
      )}
      value={chosen?.value ?? (any === undefined ? null : anyValue)}
      onChange={(value) => onChange(value === anyValue ? null : value)}
      searchValue={typed}
      onSearchChange={setTyped}
      onFocus={({ currentTarget }) => {
        setUsed(true);
        currentTarget.select();
      }}
      nothingFoundMessage={nothing}
      maxDropdownHeight={360}
      comboboxProps={{ withinPortal: false, shadow: "md" }}
    />
  );
}

function withoutFirst(found: readonly SearchOption[], first: readonly SearchOption[]) {
  return found.filter(({ value }) => !first.some((one) => one.value === value));
}
