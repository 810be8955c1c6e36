import type { WorkflowSecret } from "@hub/contract/workflow.ts";
import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { toIssues } from "../api/to-issues.ts";
import { useChange } from "../api/use-api.ts";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { useToast } from "../ui/dialogs/toasts.tsx";
import { Failure } from "../ui/page/failure.tsx";
import { workflowRoutes } from "./workflow-routes.ts";
import styles from "./workflows.module.css";

type Props = {
  workflow: string;
  /** Null for a new one. */
  secret: Pick<WorkflowSecret, "name" | "is_set"> | null;
  onClose: () => void;
};

export const secretNamePattern = /^[A-Za-z_]\w{0,63}$/;

/** Sets or replaces a secret. */
export function SecretDialog({ workflow, secret, onClose }: Props) {
  const toast = useToast();
  const [name, setName] = useState(secret?.name ?? "");
  const [value, setValue] = useState("");
  const set = useChange("PUT /manager/api/workflows/{workflow}/secrets/{secret}", {
    refreshes: workflowRoutes,
    onDone() {
      toast({ text: `The secret ${name} is set.` });
      onClose();
    },
  });
  const [isShown, setShown] = useState(false);
  const generate = () => {
    setValue(toHex(crypto.getRandomValues(new Uint8Array(32))));
    setShown(true);
  };
  const issues = set.error === null ? {} : toIssues(set.error);
  const isNamed = secretNamePattern.test(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isNamed && value !== "") set.run({ params: { workflow, secret: name }, body: { value } });
  };
  return (
    <Dialog
      onClose={onClose}
      title={
        secret === null ? "Add a secret" : `${secret.is_set ? "Replace" : "Set"} ${secret.name}`
      }
      closeOnClickOutside={value === ""}
    >
      <form onSubmit={submit} noValidate autoComplete="off">
        <Stack gap="md">
          {secret === null && (
            <TextInput
              label="Name"
              description="Templates use it as .Secret.NAME."
              value={name}
              error={
                name === "" || isNamed
                  ? (issues.name ?? null)
                  : "Use letters, digits and _, and do not start with a digit."
              }
              autoComplete="off"
              onChange={(event) => setName(event.currentTarget.value)}
              data-autofocus
            />
          )}
          <PasswordInput
            label="Value"
            description="It is encrypted and never shown again."
            value={value}
            error={issues.value ?? null}
            autoComplete="new-password"
            visible={isShown}
            onVisibilityChange={setShown}
            onChange={(event) => setValue(event.currentTarget.value)}
            {...(secret !== null && { "data-autofocus": true })}
          />
          <Group gap="sm">
            <Button variant="default" size="compact-sm" onClick={generate}>
              Generate
            </Button>
            {value !== "" && <CopyButton text={value} what="what is entered" />}
            <span className={styles.soft}>
              {value === ""
                ? "Makes a random value, such as for signatures."
                : "Copy it for the sender of the requests."}
            </span>
          </Group>
          {Object.keys(issues).length === 0 && <Failure of={set.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isNamed || value === ""} loading={set.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

const toHex = (bytes: Uint8Array) =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
