import type { Role, User } from "@hub/contract/user.ts";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { userRoutes } from "./user-routes.ts";
import styles from "./users.module.css";

/** The name and the role. Making an admin asks first. */
export function UserAccount({ user }: { user: User }) {
  const toast = useToast();
  const [typedName, setName] = useState<string | null>(null);
  const [chosenRole, setRole] = useState<Role | null>(null);
  const [isAsking, setAsking] = useState(false);
  const name = typedName ?? user.name;
  const role = chosenRole ?? user.role;
  const isChanged = name.trim() !== user.name || role !== user.role;
  const change = useChange("PATCH /admin/api/users/{user}", {
    refreshes: userRoutes,
    onDone({ email }) {
      setAsking(false);
      setName(null);
      setRole(null);
      toast({ text: `${email} is saved.` });
    },
    onFailed: () => setAsking(false),
  });
  const save = () =>
    change.run({
      params: { user: user.id },
      // Only what was changed, so that another admin's change of the rest stays.
      body: {
        ...(name.trim() !== user.name && { name: name.trim() }),
        ...(role !== user.role && { role }),
      },
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (role === "admin" && user.role !== "admin") setAsking(true);
    else save();
  };
  return (
    <Card title="Name and role">
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          label="Name"
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
          autoComplete="off"
        />
        <NativeSelect
          label="Role"
          data={[
            { value: "user", label: "User" },
            { value: "admin", label: "Admin" },
          ]}
          value={role}
          onChange={({ currentTarget: { value } }) => setRole(value === "admin" ? "admin" : "user")}
        />
        <Button type="submit" variant="default" disabled={!isChanged} loading={change.isPending}>
          Save
        </Button>
      </form>
      <Failure of={change.error} />
      <ConfirmDialog
        isOpen={isAsking}
        title={`Make ${user.email} an admin?`}
        action="Make an admin"
        isDangerous
        isBusy={change.isPending}
        onConfirm={save}
        onClose={() => setAsking(false)}
      >
        An admin sees every row, every recorded call and every user, and can make other admins and
        take your rights away.
      </ConfirmDialog>
    </Card>
  );
}
