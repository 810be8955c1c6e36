import type { Setting } from "@hub/contract/doctor.ts";
import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import {
  describeRefusal,
  formatSettingValue,
  readSettingValue,
  toSettingLabel,
  toWrittenValue,
} from "./describe-setting.ts";
import styles from "./settings.module.css";

/** The lists that change with a setting. */
export const settingRoutes = ["GET /admin/api/settings", "GET /admin/api/changes"] as const;

type Props = { setting: Setting; onClose: () => void };

/** Changes a setting. Says so if it changes elsewhere meanwhile, and keeps what was typed. */
export function SettingDialog({ setting, onClose }: Props) {
  const toast = useToast();
  const write = (value: string | null) =>
    value === null ? "" : toWrittenValue(setting.name, value);
  // The value that the change is made from: the API refuses it if there is a newer one.
  const [from, setFrom] = useState(setting.value);
  const [typed, setTyped] = useState(() => write(setting.value));
  const params = { setting: setting.name };
  const before = { value: setting.value, isStored: setting.origin === "stored" };
  const reset = useChange("DELETE /admin/api/settings/{setting}", { refreshes: settingRoutes });
  const restore = useChange("PUT /admin/api/settings/{setting}", { refreshes: settingRoutes });
  const change = useChange("PUT /admin/api/settings/{setting}", {
    refreshes: settingRoutes,
    onDone({ name, value }) {
      const undo = () =>
        before.isStored && before.value !== null
          ? restore.run({ params, body: { value: before.value, from: value } })
          : reset.run({ params, query: { from: value ?? undefined } });
      onClose();
      const now = formatSettingValue(name, value ?? "", setting.description);
      toast({ text: `${toSettingLabel(name)} is now ${now}.`, onUndo: undo });
    },
  });
  const value = readSettingValue(setting.name, typed);
  const shown = formatSettingValue(setting.name, value, setting.description);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.run({ params, body: { value, from } });
  };
  const resolveConflict = (text: string | null) => {
    setFrom(setting.value);
    setTyped(write(text));
    change.reset();
  };
  const isChangedElsewhere = setting.value !== from && !change.isPending && !change.isSuccess;
  return (
    <Dialog onClose={onClose} title={toSettingLabel(setting.name)} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Value"
            description={toSentence(setting.description)}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={change.error && describeRefusal(setting.name, change.error.message)}
            autoComplete="off"
            data-autofocus
          />
          <p className={styles.description}>
            <code>{setting.name}</code>
            {shown !== typed.trim() && `: ${shown}`}
            {value !== typed.trim() && `, stored as ${value}`}
          </p>
          {isChangedElsewhere && (
            <Alert color="yellow" role="status">
              <p>{`It was changed elsewhere to ${write(setting.value)} while you edited it. What you typed is kept.`}</p>
              <Group gap="xs">
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => resolveConflict(setting.value)}
                >
                  Take the new value
                </Button>
                <Button size="compact-sm" variant="default" onClick={() => resolveConflict(value)}>
                  Keep what I typed
                </Button>
              </Group>
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={value === setting.value}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Descriptions begin in lower case, as the command line shows them. */
function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
