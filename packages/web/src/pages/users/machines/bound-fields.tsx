import { Textarea, TextInput } from "@mantine/core";
import { RowSelect } from "../../../ui/controls/row-select.tsx";
import type { BoundTexts } from "./to-bounds.ts";

type Props = { value: BoundTexts; onChange: (value: BoundTexts) => void };

/** What a token is limited to. All fields may stay empty. */
export function BoundFields({ value, onChange }: Props) {
  return (
    <>
      <RowSelect
        label="Only this row"
        hasLabel
        any="All that its user sees"
        value={value.row}
        onChange={(row) => onChange({ ...value, row })}
      />
      <Textarea
        label="Only these operations"
        description="Tool ids, one a line. With a row, they are added to it."
        autosize
        minRows={2}
        value={value.operations}
        onChange={({ currentTarget }) => onChange({ ...value, operations: currentTarget.value })}
      />
      <TextInput
        label="Only from these addresses"
        description="Addresses or networks, such as 10.0.0.0/8, with commas between them."
        value={value.addresses}
        onChange={({ currentTarget }) => onChange({ ...value, addresses: currentTarget.value })}
      />
    </>
  );
}
