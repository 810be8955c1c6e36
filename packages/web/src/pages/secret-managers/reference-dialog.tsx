import type { SecretReference, SecretSource } from "@hub/contract/secret-source.ts";
import { Alert, Button, Checkbox, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { TagInput } from "../../ui/badges/tag-input.tsx";
import { RowSelect } from "../../ui/controls/row-select.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { DialogFoot } from "../../ui/dialogs/dialog-foot.tsx";
import { secretRoutes } from "./secret-routes.ts";

type Props = {
  reference: SecretReference | null;
  sources: readonly SecretSource[];
  onClose: () => void;
};

/**
 * Adds or changes a reference. Rows that it has keep their confirmed addresses, unless the admin confirms the present ones.
 * What is confirmed are the addresses that the dialog shows.
 */
export function ReferenceDialog({ reference, sources, onClose }: Props) {
  const [texts, setTexts] = useState({
    name: reference?.name ?? "",
    path: reference?.path ?? "",
    field: reference?.field ?? "",
    version: reference?.version ?? "",
    hosts: reference?.hosts.join(", ") ?? "",
  });
  const [source, setSource] = useState(reference?.source.id ?? sources[0]?.id ?? "");
  const [tags, setTags] = useState([...(reference?.tags ?? [])]);
  const [rows, setRows] = useState(reference?.rows.map(({ id }) => id) ?? []);
  /** The addresses that were shown when the admin confirmed. Others need another look. */
  const [seen, setSeen] = useState<string | null>(null);
  const shown = useApi(
    "GET /admin/api/secret-destinations",
    { query: { ids: rows.join(",") } },
    { isOn: rows.length > 0, keepsLast: true },
  );
  const destinations = shown.data?.destinations ?? [];
  const options = {
    refreshes: [...secretRoutes, "GET /admin/api/secret-destinations"] as const,
    onDone: onClose,
  };
  const add = useChange("POST /admin/api/secret-references", options);
  const set = useChange("PUT /admin/api/secret-references/{reference}", options);
  const known = new Map(reference?.rows.map((row) => [row.id, row]));
  const added = rows.filter((row) => !known.has(row));
  const changed = rows.filter((row) => known.get(row)?.is_current === false);
  const pending = [...added, ...changed];
  const offered = destinations
    .filter(({ id }) => pending.includes(id))
    .map(({ id, addresses }) => ({ id, addresses }));
  const isConfirmed = seen === JSON.stringify(offered);
  const findAddresses = (row: string) => destinations.find(({ id }) => id === row)?.addresses;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      name: texts.name,
      source,
      path: texts.path.trim(),
      field: texts.field,
      version: texts.version === "" ? null : texts.version,
      tags,
      rows,
      confirm_rows: isConfirmed ? offered : [],
      hosts: texts.hosts
        .split(",")
        .map((host) => host.trim())
        .filter((host) => host !== ""),
      ...(reference !== null && { revision: reference.revision }),
    };
    if (reference === null) add.run({ body });
    else set.run({ params: { reference: reference.id }, body });
  };
  const toInput = (key: keyof typeof texts) => ({
    value: texts[key],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setTexts({ ...texts, [key]: currentTarget.value }),
  });
  const error = add.error ?? set.error;
  return (
    <Dialog
      onClose={onClose}
      title={reference === null ? "Add a reference" : reference.name}
      size="lg"
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput label="Name" {...toInput("name")} data-autofocus />
          <Select
            label="Manager"
            data={sources.map(({ id, name }) => ({ value: id, label: name }))}
            value={source}
            allowDeselect={false}
            onChange={(value) => setSource(value ?? "")}
          />
          <TextInput
            label="Path"
            description="Of the secret in its manager."
            {...toInput("path")}
          />
          <TextInput
            label="Field"
            description="Of a secret that has several."
            {...toInput("field")}
          />
          <TextInput
            label="Version"
            description="Empty: the current one."
            {...toInput("version")}
          />
          {rows.map((row, at) => (
            <RowSelect
              key={row}
              label={`Row ${at + 1} that may get it`}
              any="None"
              value={row}
              description={toAddressText(findAddresses(row))}
              onChange={(id) =>
                setRows(rows.flatMap((one) => (one !== row ? [one] : id === null ? [] : [id])))
              }
            />
          ))}
          <RowSelect
            key={rows.length}
            label="A row that may get it"
            any="None"
            value={null}
            onChange={(id) => id !== null && !rows.includes(id) && setRows([...rows, id])}
          />
          {pending.length > 0 && (
            <Alert color="yellow">
              {changed.length > 0 && (
                <p>{`The address has changed of ${changed.map((row) => known.get(row)?.label ?? row).join(", ")}. Look at it first: it is above.`}</p>
              )}
              <Checkbox
                label="The secret may go to the addresses above"
                checked={isConfirmed}
                disabled={offered.length === 0}
                onChange={({ currentTarget }) =>
                  setSeen(currentTarget.checked ? JSON.stringify(offered) : null)
                }
              />
            </Alert>
          )}
          <TextInput
            label="Hosts"
            description="Any row may send it to these over https, and to no other: api.example.com. Without encryption: http://nas.lan:8080."
            {...toInput("hosts")}
          />
          <TagInput
            label="Tags"
            description="Users with one of these may name it in secrets of their workflows."
            value={tags}
            onChange={setTags}
          />
          {error && <Alert color="red">{error.message}</Alert>}
          <DialogFoot>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={add.isPending || set.isPending}
              disabled={added.some((row) => !isConfirmed || findAddresses(row) === undefined)}
            >
              Save
            </Button>
          </DialogFoot>
        </Stack>
      </form>
    </Dialog>
  );
}

function toAddressText(addresses: readonly string[] | undefined): string {
  return addresses === undefined ? "…" : `Sends it by ${addresses.join(", ")}`;
}
