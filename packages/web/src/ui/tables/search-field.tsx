import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { Icon } from "../controls/icon.tsx";

const debounceMs = 200;

type Props = {
  label: string;
  /** The label, if it is left out. */
  placeholder?: string;
  value: string | undefined;
  onChange: (value: string) => void;
  className?: string | undefined;
  id?: string;
};

/** A search that stands in the address. `onChange` is called when the user pauses. */
export function SearchField({
  label,
  placeholder = label,
  value = "",
  onChange,
  className = "",
  id,
}: Props) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Back and "Clear filters" change the address. What the user types goes there by itself.
  if (known !== value) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const apply = useDebouncedCallback((text: string) => onChange(text.trim()), debounceMs);
  return (
    <TextInput
      className={className}
      {...(id !== undefined && { id })}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      size="xs"
      leftSection={<Icon name="search" />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        apply(currentTarget.value);
      }}
    />
  );
}
