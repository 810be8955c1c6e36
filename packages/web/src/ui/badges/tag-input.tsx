import { isRowTag } from "@hub/contract/row-tag.ts";
import { TagsInput } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";

type Props = {
  label: string;
  /** The label is only for screen readers, below a title that says the same. */
  isTitled?: boolean;
  description?: string;
  value: string[];
  onChange: (tags: string[]) => void;
  error?: string | null;
};

/** Chooses tags, or names new ones. For pages of admins. */
export function TagInput(props: Props) {
  const { label, isTitled = false, description, value, onChange, error = null } = props;
  // Asked for once the field is used: most visits of its pages change no tag.
  const [isUsed, setUsed] = useState(false);
  const tags = useApi("GET /admin/api/tags", {}, { isOn: isUsed });
  const names = (tags.data?.tags ?? []).map(({ name }) => name);
  return (
    <TagsInput
      {...(isTitled ? { "aria-label": label } : { label })}
      {...(description !== undefined && { description })}
      placeholder={value.length === 0 ? "Choose tags, or type a new one" : ""}
      onFocus={() => setUsed(true)}
      data={names.filter((name) => name !== "everyone" && !isRowTag(name))}
      value={value}
      onChange={(typed) => onChange([...new Set(typed.map((tag) => tag.trim().toLowerCase()))])}
      error={error}
      limit={50}
      maxDropdownHeight={160}
      acceptValueOnBlur
      // In a portal, the list would be outside of the page's landmarks and of its dialog.
      comboboxProps={{ shadow: "md", withinPortal: false }}
    />
  );
}
