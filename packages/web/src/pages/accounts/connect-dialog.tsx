import type { AccountRow } from "@hub/contract/account.ts";
import { Button, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { DialogFoot } from "../../ui/dialogs/dialog-foot.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import styles from "./accounts.module.css";
import type { Connecting } from "./connecting.ts";
import { Hosts } from "./hosts.tsx";

const refreshes = ["GET /manager/api/accounts"] as const;

type Props = { connecting: Connecting; onClose: () => void };

/** Connects an account: by a sign-in in the other system, or with values that the user types. */
export function ConnectDialog({ connecting, onClose }: Props) {
  const { row, account } = connecting;
  const [label, setLabel] = useState(account?.label ?? "default");
  const begin = useChange("POST /manager/api/accounts/sign-in", { refreshes: [] });
  return (
    <Dialog onClose={onClose} title={`Connect ${row.label}`}>
      <p className={styles.lead}>
        The account is used for <Hosts hosts={row.hosts} />, and for nothing else. If an admin
        points {row.label} elsewhere, you are asked again.
      </p>
      {account === null && (
        <TextInput
          label="Label"
          description="Your name for the account, such as work or private."
          value={label}
          maxLength={60}
          mb="sm"
          // A sign-in that has begun keeps the label that it began with.
          disabled={begin.isPending || begin.data !== undefined}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
        />
      )}
      {row.kind === "oauth" ? (
        <SignIn row={row} label={label} begin={begin} onClose={onClose} />
      ) : (
        <Values connecting={connecting} label={label} onClose={onClose} />
      )}
    </Dialog>
  );
}

type SignInProps = {
  row: AccountRow;
  label: string;
  begin: ReturnType<typeof useChange<"POST /manager/api/accounts/sign-in">>;
  onClose: () => void;
};

/** The user sees where the browser goes before it leaves. */
function SignIn({ row, label, begin, onClose }: SignInProps) {
  const begun = begin.data ?? null;
  const again = () => begin.run({ body: { row: row.id, label, hosts: row.hosts } });
  return (
    <>
      {begun !== null && (
        <Properties
          items={[
            ["You sign in at", <bdi key="issuer">{new URL(begun.authorize_url).host}</bdi>],
            ["Scopes", begun.scopes.length > 0 && <bdi>{begun.scopes.join(" ")}</bdi>],
          ]}
        />
      )}
      <Failure of={begin.error} />
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {begun === null ? (
          <Button loading={begin.isPending} disabled={label.trim() === ""} onClick={again}>
            Connect
          </Button>
        ) : (
          <Button component="a" href={begun.authorize_url} rel="noreferrer">
            Continue to {new URL(begun.authorize_url).host}
          </Button>
        )}
      </DialogFoot>
    </>
  );
}

type ValuesProps = Props & { label: string };

function Values({ connecting: { row, account }, label, onClose }: ValuesProps) {
  const toast = useToast();
  const [values, setValues] = useState<Record<string, string>>({});
  const onDone = () => {
    toast({ text: "The account is connected." });
    onClose();
  };
  const add = useChange("POST /manager/api/accounts", { refreshes, onDone });
  const change = useChange("PATCH /manager/api/accounts/{account}", { refreshes, onDone });
  const save = (event: FormEvent) => {
    event.preventDefault();
    const { hosts } = row;
    if (account === null) add.run({ body: { row: row.id, label, values, hosts } });
    else change.run({ params: { account: account.id }, body: { values, hosts } });
  };
  return (
    <form onSubmit={save}>
      {row.fields.map((field) => (
        <ValueField
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          onChange={(text) => setValues({ ...values, [field.key]: text })}
        />
      ))}
      <Failure of={add.error ?? change.error} />
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={add.isPending || change.isPending}>
          Connect
        </Button>
      </DialogFoot>
    </form>
  );
}

type FieldProps = {
  field: AccountRow["fields"][number];
  value: string;
  onChange: (text: string) => void;
};

function ValueField({ field, value, onChange }: FieldProps) {
  const { name, description, required, secret, widget } = field;
  const props = {
    label: name,
    description,
    required,
    value,
    mb: "sm",
    autoComplete: "off",
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value),
  };
  // Browsers fill their password for the hub in elsewhere, even with `off`.
  if (secret) return <PasswordInput {...props} autoComplete="new-password" />;
  return widget === "textarea" ? <Textarea {...props} /> : <TextInput {...props} />;
}
