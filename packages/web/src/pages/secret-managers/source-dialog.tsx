import type { SecretSource, SourceInput } from "@hub/contract/secret-source.ts";
import {
  type SourceKind,
  sourceCredentials,
  sourceFields,
  sourceKindNames,
} from "@hub/contract/secret-source-kinds.ts";
import { Alert, Button, PasswordInput, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { DialogFoot } from "../../ui/dialogs/dialog-foot.tsx";
import { secretRoutes } from "./secret-routes.ts";

const kinds = Object.entries(sourceKindNames).map(([value, label]) => ({ value, label }));

type Props = { source: SecretSource | null; onClose: () => void };

/** Adds or changes a secret manager. Credentials that are left empty stay, if the settings do. */
export function SourceDialog({ source, onClose }: Props) {
  const [name, setName] = useState(source?.name ?? "");
  const [kind, setKind] = useState<SourceKind>(source?.settings.kind ?? "vault");
  const [typed, setTyped] = useState<Record<string, string>>(() => toTexts(source));
  const [credentials, setCredentials] = useState<Record<string, string>>({});
  const [prefixes, setPrefixes] = useState(source?.prefixes.join(", ") ?? "");
  const options = { refreshes: secretRoutes, onDone: onClose };
  const add = useChange("POST /admin/api/secret-sources", options);
  const set = useChange("PUT /admin/api/secret-sources/{source}", options);
  const auths = Object.keys(sourceCredentials)
    .filter((key) => key.startsWith(`${kind}.`))
    .map((key) => key.slice(kind.length + 1));
  const auth = auths.includes(typed.auth ?? "") ? typed.auth : auths[0];
  const needed = sourceCredentials[auth === undefined ? kind : `${kind}.${auth}`] ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const fields = Object.fromEntries(
      Object.entries(sourceFields[kind]).map(([key, text]) => [key, typed[key] ?? text]),
    );
    const { kv_version: version, ...texts } = fields;
    const settings = {
      ...texts,
      kind,
      ...(version !== undefined && { kv_version: Number(version) }),
      ...(auth !== undefined && { auth }),
    };
    const given = Object.fromEntries(
      Object.entries(credentials).filter(([key]) => needed.includes(key)),
    );
    const body = {
      name,
      // The server checks it: the form has a text for each setting.
      settings: settings as SourceInput["settings"],
      prefixes: prefixes
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
      ...(Object.keys(given).length > 0 && { credentials: given }),
      ...(source !== null && { revision: source.revision }),
    };
    if (source === null) add.run({ body });
    else set.run({ params: { source: source.id }, body });
  };
  const error = add.error ?? set.error;
  return (
    <Dialog
      onClose={onClose}
      title={source === null ? "Add a secret manager" : source.name}
      size="lg"
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            data-autofocus
          />
          <Select
            label="Manager"
            data={kinds}
            value={kind}
            allowDeselect={false}
            disabled={source !== null}
            // Safe: the options are the kinds.
            onChange={(value) => setKind((value ?? "vault") as SourceKind)}
          />
          {auths.length > 0 && (
            <Select
              label="Authentication"
              data={auths}
              value={auth ?? null}
              allowDeselect={false}
              onChange={(value) => setTyped({ ...typed, auth: value ?? "" })}
            />
          )}
          {Object.entries(sourceFields[kind]).map(([key, text]) => (
            <TextInput
              key={`${kind} ${key}`}
              label={toLabel(key)}
              value={typed[key] ?? text}
              onChange={({ currentTarget }) => setTyped({ ...typed, [key]: currentTarget.value })}
            />
          ))}
          {needed.map((key) => (
            <PasswordInput
              key={key}
              label={toLabel(key)}
              {...(source !== null && { description: "Empty: it stays, if the settings do." })}
              value={credentials[key] ?? ""}
              onChange={({ currentTarget }) =>
                setCredentials({ ...credentials, [key]: currentTarget.value })
              }
              autoComplete="off"
            />
          ))}
          <TextInput
            label="Reads below"
            description="Nothing outside is read: apps/hub, prod-* or *, with commas between them."
            value={prefixes}
            onChange={({ currentTarget }) => setPrefixes(currentTarget.value)}
          />
          {error && <Alert color="red">{error.message}</Alert>}
          <DialogFoot>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending || set.isPending}>
              Save
            </Button>
          </DialogFoot>
        </Stack>
      </form>
    </Dialog>
  );
}

function toTexts(source: SecretSource | null): Record<string, string> {
  const entries = Object.entries(source?.settings ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}

function toLabel(key: string): string {
  const text = key.replaceAll("_", " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
