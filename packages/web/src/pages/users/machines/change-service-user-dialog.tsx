import type { ServiceUser } from "@hub/contract/machine.ts";
import type { Role } from "@hub/contract/user.ts";
import { Button, Group, NativeSelect, Stack, Switch } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { TagInput } from "../../../ui/badges/tag-input.tsx";
import { UserSelect } from "../../../ui/controls/user-select.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { machineRoutes } from "./machine-routes.ts";

type Props = { user: ServiceUser; onClose: () => void };

/** Changes a service user, or gives it a new owner. */
export function ChangeServiceUserDialog({ user, onClose }: Props) {
  const toast = useToast();
  const [owner, setOwner] = useState<string | null>(null);
  const [role, setRole] = useState<Role>(user.role);
  const [tags, setTags] = useState<string[]>(user.tags);
  const [isActive, setActive] = useState(user.status === "active");
  const change = useChange("PATCH /admin/api/service-users/{user}", {
    refreshes: machineRoutes,
    onDone() {
      toast({ text: `${user.name} is changed.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const status = isActive ? "active" : "disabled";
    change.run({
      params: { user: user.id },
      body: { role, tags, status, ...(owner !== null && { owner }) },
    });
  };
  return (
    <Dialog onClose={onClose} title={`Change ${user.name}`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <UserSelect
            label="New owner"
            hasLabel
            any={user.owner ?? "None: it waits for one"}
            value={owner}
            onChange={setOwner}
          />
          <TagInput label="Tags" value={tags} onChange={setTags} />
          <NativeSelect
            label="Role"
            description="It is an admin only while its owner is one."
            data={[
              { value: "user", label: "User" },
              { value: "admin", label: "Admin" },
            ]}
            value={role}
            onChange={({ currentTarget: { value } }) =>
              setRole(value === "admin" ? "admin" : "user")
            }
          />
          <Switch
            label="Active"
            checked={isActive}
            onChange={({ currentTarget: { checked } }) => setActive(checked)}
          />
          <Failure of={change.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
