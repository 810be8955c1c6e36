import type { ServiceUser } from "@hub/contract/machine.ts";
import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { SecretOnce } from "../../../ui/dialogs/secret-once.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { BoundFields } from "./bound-fields.tsx";
import { machineRoutes } from "./machine-routes.ts";
import { type BoundTexts, noBounds, toBounds } from "./to-bounds.ts";

type Props = { users: readonly ServiceUser[]; onClose: () => void };

/** Registers a client with a secret, which is shown once. Clients with keys are registered on the command line. */
export function AddMachineClientDialog({ users, onClose }: Props) {
  const [name, setName] = useState("");
  const [user, setUser] = useState("");
  const [bounds, setBounds] = useState<BoundTexts>(noBounds);
  const add = useChange("POST /admin/api/machine-clients", { refreshes: machineRoutes });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const as = user === "" ? {} : { service_user: user };
    add.run({ body: { name, ...as, ...toBounds(bounds) } });
  };
  if (add.data !== undefined) {
    return (
      <SecretOnce
        title="Secret of the client"
        secret={add.data.client_secret ?? ""}
        what="the secret"
        onClose={onClose}
      >
        Its client_id is <code>{add.data.id}</code>. The secret is shown only now.
      </SecretOnce>
    );
  }
  return (
    <Dialog onClose={onClose} title="Register a client">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            autoComplete="off"
            data-autofocus
          />
          <NativeSelect
            label="Calls as"
            data={[
              { value: "", label: "Users whom a trusted issuer names" },
              ...users.map(({ id, name: label }) => ({ value: id, label })),
            ]}
            value={user}
            onChange={({ currentTarget: { value } }) => setUser(value)}
          />
          <BoundFields value={bounds} onChange={setBounds} />
          <Failure of={add.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Register
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
