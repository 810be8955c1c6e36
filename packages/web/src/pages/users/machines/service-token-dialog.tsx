import type { ServiceUser } from "@hub/contract/machine.ts";
import { Button, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { SecretOnce } from "../../../ui/dialogs/secret-once.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { BoundFields } from "./bound-fields.tsx";
import { machineRoutes } from "./machine-routes.ts";
import { type BoundTexts, noBounds, toBounds } from "./to-bounds.ts";

type Props = { user: ServiceUser; onClose: () => void };

/** Makes a token of a service user. It is shown once. */
export function ServiceTokenDialog({ user, onClose }: Props) {
  const [name, setName] = useState("");
  const [days, setDays] = useState<number | string>(90);
  const [bounds, setBounds] = useState<BoundTexts>(noBounds);
  const make = useChange("POST /admin/api/service-users/{user}/tokens", {
    refreshes: machineRoutes,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const lifetime = typeof days === "number" ? { expires_in_days: days } : {};
    make.run({ params: { user: user.id }, body: { name, ...lifetime, ...toBounds(bounds) } });
  };
  if (make.data !== undefined) {
    return (
      <SecretOnce
        title={`Token of ${user.name}`}
        secret={make.data.token}
        what="the token"
        onClose={onClose}
      >
        Store it where the program reads it. It is shown only now.
      </SecretOnce>
    );
  }
  return (
    <Dialog onClose={onClose} title={`Make a token of ${user.name}`}>
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
          <NumberInput
            label="Days until it expires"
            min={1}
            max={3650}
            allowDecimal={false}
            value={days}
            onChange={setDays}
          />
          <BoundFields value={bounds} onChange={setBounds} />
          <Failure of={make.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={make.isPending}>
              Make the token
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
