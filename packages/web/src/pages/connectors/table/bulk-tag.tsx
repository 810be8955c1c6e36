import { Autocomplete, Button, Group, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { formatCount } from "../../../ui/text/format.ts";

type Props = {
  rows: number;
  isAdding: boolean;
  onTag: (tag: string) => void;
  onClose: () => void;
};

/** Asks for the tag that the chosen rows get, or lose. */
export function BulkTag({ rows, isAdding, onTag, onClose }: Props) {
  const tags = useApi("GET /admin/api/tags", {});
  const [typed, setTyped] = useState("");
  const tag = typed.trim().toLowerCase();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (tag !== "") onTag(tag);
  };
  const action = isAdding ? "Add tag" : "Remove tag";
  return (
    <Dialog
      onClose={onClose}
      title={
        isAdding
          ? `Add a tag to ${formatCount(rows, "row")}`
          : `Remove a tag from ${formatCount(rows, "row")}`
      }
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Autocomplete
            label="Tag"
            description={
              isAdding
                ? "Users with this tag then see these rows and call their enabled operations."
                : "Users who see these rows only by this tag then no longer see them."
            }
            data={(tags.data?.tags ?? []).map(({ name }) => name)}
            value={typed}
            onChange={setTyped}
            limit={20}
            maxLength={100}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={tag === ""}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
