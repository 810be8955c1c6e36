import { Alert, Button, Textarea } from "@mantine/core";
import type { ApiError } from "../../api/api-error.ts";
import { parseExactJson } from "../../api/exact-json.ts";
import { type Draft, toParams } from "../../form/field-form.ts";
import codeStyles from "../../form/form.module.css";
import { FieldForm } from "../../form/form.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { DialogFoot } from "../../ui/dialogs/dialog-foot.tsx";
import { UnsavedQuestion } from "../../ui/dialogs/unsaved-question.tsx";

type Groups = Parameters<typeof toParams>[0];

/** What is typed for the event of a run: the inputs of a manual trigger, or a payload. */
export type TypedEvent = { draft: Draft; payload: string };

type Props = {
  /** The fields of the trigger. Null if it takes any payload. */
  groups: Groups | null;
  event: TypedEvent;
  onEvent: (change: (event: TypedEvent) => TypedEvent) => void;
  /** What is wrong, by the key of a field, or by `payload`. */
  issues: Readonly<Record<string, string>>;
};

const host = { version: 0 };

/** A form by the fields of a trigger, or a payload as JSON. */
export function EventFields({ groups, event, onEvent, issues }: Props) {
  if (groups === null) {
    const [invalid] = readEvent(null, event).problems;
    return (
      <>
        <Textarea
          label="Payload"
          description="A JSON object. Templates read it as .Event.Payload."
          rows={8}
          resize="vertical"
          spellCheck={false}
          classNames={{ input: codeStyles.code ?? "" }}
          value={event.payload}
          error={issues.payload ?? null}
          onChange={({ currentTarget: { value: payload } }) =>
            onEvent((before) => ({ ...before, payload }))
          }
        />
        <UnsavedQuestion isDirty={invalid !== undefined}>
          The payload that you typed is not valid JSON and will be lost.
        </UnsavedQuestion>
      </>
    );
  }
  const named = groups.map((group) =>
    groups.length === 1 && group.title === "Configuration" ? { ...group, title: "Inputs" } : group,
  );
  return (
    <div>
      <FieldForm
        groups={named}
        draft={event.draft}
        host={host}
        issues={issues}
        onDraft={(change) => onEvent((before) => ({ ...before, draft: change(before.draft) }))}
      />
    </div>
  );
}

type Read = { params: unknown; problems: ReadonlyArray<{ key: string; message: string }> };

/** The payload that is typed, or what is wrong with it. */
export function readEvent(groups: Groups | null, { draft, payload }: TypedEvent): Read {
  if (groups !== null) return toParams(groups, draft);
  try {
    return { params: parseExactJson(payload.trim() === "" ? "{}" : payload), problems: [] };
  } catch {
    return { params: null, problems: [{ key: "payload", message: "This is not valid JSON." }] };
  }
}

type EndProps = { error: ApiError | null; isBusy: boolean; onClose: () => void };

/** The end of a form that starts a run: why it was not started, Cancel and Run. */
export function RunFormEnd({ error, isBusy, onClose }: EndProps) {
  return (
    <>
      {error !== null && (
        <Alert color="red" role="alert" title="The run was not started">
          {error.message}
        </Alert>
      )}
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" leftSection={<Icon name="play" />} loading={isBusy}>
          Run
        </Button>
      </DialogFoot>
    </>
  );
}
