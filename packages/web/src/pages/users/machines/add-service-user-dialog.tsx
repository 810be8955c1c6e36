import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { TagInput } from "../../../ui/badges/tag-input.tsx";
import { UserSelect } from "../../../ui/controls/user-select.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { machineRoutes } from "./machine-routes.ts";

/** Adds a user for programs. */
export function AddServiceUserDialog({ onClose }: { onClose: () => void }) {
  const toast = useToast();
  const [name, setName] = useState("");
  const [owner, setOwner] = useState<string | null>(null);
  const [tags, setTags] = useState<string[]>([]);
  const add = useChange("POST /admin/api/service-users", {
    refreshes: machineRoutes,
    onDone({ name: stored }) {
      toast({ text: `${stored} has been added.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run({ body: { name, tags, ...(owner !== null && { owner }) } });
  };
  return (
    <Dialog onClose={onClose} title="Add a service user">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="Lower-case letters, digits and hyphens, such as deploy-bot."
            required
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            autoComplete="off"
            data-autofocus
          />
          <UserSelect label="Owner" hasLabel any="You" value={owner} onChange={setOwner} />
          <TagInput label="Tags" value={tags} onChange={setTags} />
          <Failure of={add.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
