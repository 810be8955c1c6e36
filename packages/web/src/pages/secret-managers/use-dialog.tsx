import type { SecretReference } from "@hub/contract/secret-source.ts";
import { Alert, Button, Select, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { RowSelect } from "../../ui/controls/row-select.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { DialogFoot } from "../../ui/dialogs/dialog-foot.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { secretRoutes } from "./secret-routes.ts";

type Props = { reference: SecretReference; onClose: () => void };

/** Takes a secret field of a row from a reference. */
export function UseDialog({ reference, onClose }: Props) {
  const toast = useToast();
  const [row, setRow] = useState<string | null>(reference.rows[0]?.id ?? null);
  const [field, setField] = useState<string | null>(null);
  const settings = useApi(
    "GET /manager/api/rows/{row}/settings",
    { params: { row: row ?? "" } },
    { isOn: row !== null },
  );
  const secrets = (settings.data?.groups ?? [])
    .flatMap(({ fields }) => fields)
    .filter(({ secret }) => secret)
    .map(({ key }) => key);
  const chosen = field ?? secrets[0] ?? null;
  const use = useChange("PUT /manager/api/rows/{row}/secrets/{field}/reference", {
    refreshes: [...secretRoutes, "GET /manager/api/rows/{row}/settings"],
    onDone({ label }) {
      onClose();
      toast({ text: `${label} gets the secret from its manager.` });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (row === null || chosen === null) return;
    use.run({ params: { row, field: chosen }, body: { reference: reference.id } });
  };
  return (
    <Dialog onClose={onClose} title={`Use ${reference.name} in a row`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <RowSelect label="Row" any="None" value={row} onChange={setRow} />
          <Select
            label="Secret field"
            data={secrets}
            value={chosen}
            allowDeselect={false}
            onChange={setField}
          />
          {use.error && <Alert color="red">{use.error.message}</Alert>}
          <DialogFoot>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={use.isPending}
              disabled={row === null || chosen === null}
            >
              Use it
            </Button>
          </DialogFoot>
        </Stack>
      </form>
    </Dialog>
  );
}
