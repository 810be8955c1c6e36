import type { Role } from "@hub/contract/user.ts";
import { Alert, Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { TagInput } from "../../ui/badges/tag-input.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { SecretOnce } from "../../ui/dialogs/secret-once.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { FieldColumns } from "../../ui/page/field-columns.tsx";
import { userRoutes } from "./user-routes.ts";

/** Adds a user, and gives a password for the first sign-in unless they use single sign-on. */
export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const toast = useToast();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("user");
  const [tags, setTags] = useState<string[]>([]);
  const [needsPassword, setNeedsPassword] = useState(true);
  const [isPrepared, setPrepared] = useState(false);
  const [added, setAdded] = useState<string | null>(null);
  const finish = (id: string) => {
    onClose();
    void navigate({ to: "/admin/users/$user", params: { user: id } });
  };
  const password = useChange("POST /admin/api/users/{user}/one-time-password", { refreshes: [] });
  const add = useChange("POST /admin/api/users", {
    refreshes: userRoutes,
    onDone({ id, email: stored }) {
      toast({ text: `${stored} has been added.` });
      setAdded(id);
      if (needsPassword) password.run({ params: { user: id } });
      else finish(id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const named = name.trim() === "" ? {} : { name };
    // After a failure of the password alone, only that is tried again.
    if (added !== null) password.run({ params: { user: added } });
    else add.run({ body: { email, role, tags, ...named, ...(isPrepared && { prepared: true }) } });
  };
  if (password.data !== undefined && added !== null) {
    const { email: stored, one_time_password: secret } = password.data;
    return <OneTimePassword email={stored} secret={secret} onClose={() => finish(added)} />;
  }
  return (
    <Dialog onClose={onClose} title="Add a user" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <FieldColumns>
            <TextInput
              label="E-mail"
              type="email"
              required
              value={email}
              onChange={({ currentTarget: { value } }) => setEmail(value)}
              autoComplete="off"
              data-autofocus
            />
            <TextInput
              label="Name"
              value={name}
              onChange={({ currentTarget: { value } }) => setName(value)}
              autoComplete="off"
            />
            <TagInput label="Tags" value={tags} onChange={setTags} />
            <NativeSelect
              label="Role"
              description={
                role === "admin"
                  ? "Sees and manages everything."
                  : "Sees the rows with a shared tag."
              }
              data={[
                { value: "user", label: "User" },
                { value: "admin", label: "Admin" },
              ]}
              value={role}
              onChange={({ currentTarget: { value } }) =>
                setRole(value === "admin" ? "admin" : "user")
              }
            />
          </FieldColumns>
          {role === "admin" && (
            <Alert color="yellow">
              An admin sees every row, every recorded call and every user, and can make other
              admins.
            </Alert>
          )}
          <Checkbox
            label="Make a one-time password for the first sign-in"
            checked={needsPassword}
            onChange={({ currentTarget: { checked } }) => {
              setNeedsPassword(checked);
              if (checked) setPrepared(false);
            }}
          />
          {!needsPassword && role === "user" && (
            <Checkbox
              label="Prepare for single sign-on: only the first sign-in with this verified e-mail becomes this user"
              checked={isPrepared}
              onChange={({ currentTarget: { checked } }) => setPrepared(checked)}
            />
          )}
          <Failure of={add.error ?? password.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending || password.isPending}>
              {role === "admin" ? "Add an admin" : "Add"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type PasswordProps = { email: string; secret: string; onClose: () => void };

/** The password of one sign-in. It is shown only here. */
export function OneTimePassword({ email, secret, onClose }: PasswordProps) {
  return (
    <SecretOnce title="One-time password" secret={secret} what="the password" onClose={onClose}>
      Give it to {email} over a safe channel. It is shown only now. At the first sign-in they must
      choose a password of their own.
    </SecretOnce>
  );
}
