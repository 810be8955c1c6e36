import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

const debounceMs = 200;
/** The value of a choice is never empty in the library. */
const anyValue = " any";

export type Choice = { value: string; label: string };

type Props = {
  label: string;
  /** The first option, which filters nothing: "Any row". */
  any: string;
  value: string | undefined;
  /** Finds choices by a text, on the server. It is asked while the list is open only. */
  useChoices: (text: string, isOn: boolean) => { choices: readonly Choice[]; isPending: boolean };
  /** Finds the label of the chosen value. */
  useLabel: (value: string | undefined) => string | undefined;
  onChange: (value: string) => void;
};

/** A filter with as many values as there may be: the server searches them. */
export function SearchSelect({ label, any, value, useChoices, useLabel, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const chosen = useLabel(value) ?? value?.slice(0, 12) ?? any;
  const [asked] = useDebouncedValue(typed === chosen ? "" : typed.trim().slice(0, 100), debounceMs);
  const { choices, isPending } = useChoices(asked, isOpen);
  const others = choices.filter((one) => one.value !== value);
  return (
    <Select
      aria-label={label}
      size="xs"
      searchable
      allowDeselect={false}
      data={[
        { value: anyValue, label: any },
        ...(value === undefined ? [] : [{ value, label: chosen }]),
        ...others,
      ]}
      // The server has searched.
      filter={({ options }) => options}
      value={value ?? anyValue}
      onChange={(next) => onChange(next === anyValue ? "" : (next ?? ""))}
      searchValue={isOpen ? typed : chosen}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onFocus={({ currentTarget }) => currentTarget.select()}
      nothingFoundMessage={isPending ? "Searching…" : "Nothing matches"}
      maxDropdownHeight={320}
      comboboxProps={{ withinPortal: false, width: "max-content", position: "bottom-start" }}
    />
  );
}
