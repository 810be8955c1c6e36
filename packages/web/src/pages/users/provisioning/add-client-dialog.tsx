import type { CreatedScimClient } from "@hub/contract/scim-client.ts";
import { Button, Group, NumberInput, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { scimRoutes } from "./scim-routes.ts";

type Props = { onClose: () => void; onAdded: (made: CreatedScimClient) => void };

/** Makes a SCIM client. Its token is shown by the page, once. */
export function AddClientDialog({ onClose, onAdded }: Props) {
  const [name, setName] = useState("");
  const [issuer, setIssuer] = useState("");
  const [addresses, setAddresses] = useState("");
  const [days, setDays] = useState<number | string>(365);
  const add = useChange("POST /admin/api/scim-clients", { refreshes: scimRoutes, onDone: onAdded });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const listed = addresses.split(/[\s,]+/).filter((one) => one !== "");
    add.run({
      body: {
        name,
        ...(issuer.trim() !== "" && { issuer: issuer.trim() }),
        ...(listed.length > 0 && { addresses: listed }),
        ...(typeof days === "number" && { expires_in_days: days }),
      },
    });
  };
  return (
    <Dialog onClose={onClose} title="Add a SCIM client" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="For the record of changes, such as Okta."
            required
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            autoComplete="off"
            data-autofocus
          />
          <TextInput
            label="Issuer of single sign-on"
            description="Users who signed in by this issuer, and have no password, belong to the client as well."
            value={issuer}
            onChange={({ currentTarget: { value } }) => setIssuer(value)}
            autoComplete="off"
          />
          <Textarea
            label="Addresses"
            description="Addresses or networks from which it may come. Empty: from any."
            autosize
            minRows={1}
            value={addresses}
            onChange={({ currentTarget: { value } }) => setAddresses(value)}
          />
          <NumberInput
            label="Days until the token expires"
            min={1}
            max={730}
            allowDecimal={false}
            value={days}
            onChange={setDays}
          />
          {add.error !== null && <Failure error={add.error} />}
          <Group justify="flex-end">
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
