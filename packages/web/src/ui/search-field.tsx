import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { Icon } from "./icon.tsx";

const settleMs = 200;

type Props = { label: string; value: string | undefined; onChange: (value: string) => void };

/** A search that stands in the address. `onChange` is called when the user pauses. */
export function SearchField({ label, value = "", onChange }: Props) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Back and "Clear filters" change the address. What the user types goes there by itself.
  if (known !== value) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const apply = useDebouncedCallback((text: string) => onChange(text.trim()), settleMs);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
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
