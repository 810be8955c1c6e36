import type { ServiceUser } from "@hub/contract/machine.ts";
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { FieldColumns } from "../../../ui/page/field-columns.tsx";
import { BoundFields } from "./bound-fields.tsx";
import { machineRoutes } from "./machine-routes.ts";
import { type BoundTexts, noBounds, toBounds } from "./to-bounds.ts";

type Props = { users: readonly ServiceUser[]; onClose: () => void };

/** Trusts an issuer: of a platform with a condition and a service user, or of a company's users. */
export function AddTrustedIssuerDialog({ users, onClose }: Props) {
  const toast = useToast();
  const [name, setName] = useState("");
  const [issuer, setIssuer] = useState("");
  const [isOfUsers, setOfUsers] = useState(false);
  const [user, setUser] = useState("");
  const [claim, setClaim] = useState("sub");
  const [text, setText] = useState("");
  const [isBeginning, setBeginning] = useState(false);
  const [bounds, setBounds] = useState<BoundTexts>(noBounds);
  const add = useChange("POST /admin/api/trusted-issuers", {
    refreshes: machineRoutes,
    onDone({ name: stored }) {
      toast({ text: `${stored} is trusted.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const condition = isBeginning ? { claim, prefix: text } : { claim, value: text };
    const workload = { conditions: [condition], ...(user !== "" && { service_user: user }) };
    const kind = isOfUsers ? "id_jag" : "workload";
    add.run({ body: { name, issuer, kind, ...(!isOfUsers && workload), ...toBounds(bounds) } });
  };
  return (
    <Dialog onClose={onClose} title="Trust an issuer" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <FieldColumns>
            <TextInput
              label="Name"
              required
              value={name}
              onChange={({ currentTarget: { value } }) => setName(value)}
              autoComplete="off"
              data-autofocus
            />
            <TextInput
              label="Issuer"
              type="url"
              description="As in the member iss of its assertions."
              required
              value={issuer}
              onChange={({ currentTarget: { value } }) => setIssuer(value)}
              autoComplete="off"
            />
          </FieldColumns>
          <Checkbox
            label="It says who users are (ID-JAG), in place of what programs are"
            checked={isOfUsers}
            onChange={({ currentTarget: { checked } }) => setOfUsers(checked)}
          />
          {!isOfUsers && (
            <>
              <NativeSelect
                label="Calls as"
                required
                data={[
                  { value: "", label: "Choose a service user" },
                  ...users.map(({ id, name: label }) => ({ value: id, label })),
                ]}
                value={user}
                onChange={({ currentTarget: { value } }) => setUser(value)}
              />
              <FieldColumns>
                <TextInput
                  label="Claim"
                  description="One that the issuer controls, such as repository_id."
                  required
                  value={claim}
                  onChange={({ currentTarget: { value } }) => setClaim(value)}
                />
                <TextInput
                  label={isBeginning ? "Begins with" : "Is exactly"}
                  required
                  value={text}
                  onChange={({ currentTarget: { value } }) => setText(value)}
                />
              </FieldColumns>
              <Checkbox
                label="The beginning is enough"
                checked={isBeginning}
                onChange={({ currentTarget: { checked } }) => setBeginning(checked)}
              />
            </>
          )}
          <BoundFields value={bounds} onChange={setBounds} />
          <Failure of={add.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Trust it
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
