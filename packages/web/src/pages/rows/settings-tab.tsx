import { Alert, Button } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { findText, listFields, type OtherChange, toLabel } from "../../form/field-form.ts";
import { FieldForm, toFieldId } from "../../form/form.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PageError } from "../../ui/page-error.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { ProgramOutput } from "../../ui/program-output.tsx";
import { ChannelConnection, ChannelDetails } from "./channel-card.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { DiscoveryCard, jumpToDiscover } from "./discovery-card.tsx";
import { NameCard } from "./name-card.tsx";
import styles from "./rows.module.css";
import { ServersCard } from "./servers-card.tsx";
import type { ShownRow } from "./shown-row.ts";
import { useMadeFrom } from "./use-made-from.ts";
import { useOperationsByRow, useReview } from "./use-review.ts";
import type { RowForm } from "./use-row-form.ts";

type Props = { row: ShownRow; form: RowForm };

/** The settings of a row: what is missing, the cards of fields, the check, and the row itself. */
export function SettingsTab({ row, form }: Props) {
  const { settings, loading } = form;
  const isByRow = useOperationsByRow(row.connector);
  const madeFrom = useMadeFrom(row.connector);
  if (row.missing === null) {
    return (
      <>
        <EmptyState
          icon="connectors"
          title="The settings cannot be changed now"
          action={
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link {...props} to="/manager/connectors" search={{ q: row.connector }} />
              )}
            >
              Go to the plugin
            </Button>
          }
        >
          Without its connector, the hub does not know the fields of this row. Their values are
          kept.
        </EmptyState>
        <DangerCard row={row} />
      </>
    );
  }
  if (settings === null) {
    if (loading.error === null) return <PageSkeleton lines={6} />;
    return <PageError what="The settings" error={loading.error} onRetry={loading.retry} />;
  }
  if (madeFrom !== null) return <MadeRow row={row} madeFrom={madeFrom} form={form} />;
  const missing = settings.missing.filter((key) => {
    const field = listFields(settings.groups).find((one) => one.key === key);
    return field === undefined || field.secret || findText(field, form.draft) === "";
  });
  return (
    <div className={styles.column}>
      {row.slug !== undefined && <ChannelConnection row={row} />}
      <OtherChanges changes={form.changes} onClose={form.dismissChanges} />
      <Missing keys={missing} form={form} />
      <Exposed row={row} form={form} />
      <Weak form={form} />
      <Outside keys={settings.outside ?? []} form={form} />
      <FieldForm
        groups={settings.groups}
        draft={form.draft}
        onDraft={form.onDraft}
        host={form.host}
        issues={form.issues}
        missing={[]}
      />
      <SaveBar row={row} form={form} />
      {row.connector === "mcp" && <ConnectionCard row={row} hasUnsaved={form.unsaved.length > 0} />}
      {row.connector === "openapi" && <ServersCard row={row} form={form} />}
      {isByRow === true && <DiscoveryCard row={row} hasLink hasUnsaved={form.unsaved.length > 0} />}
      <NameCard row={row} />
      {row.slug !== undefined && <ChannelDetails row={row} />}
      <DangerCard row={row} />
    </div>
  );
}

/** A row that the hub makes from a workflow: what it is made from, and no way to change it here. */
function MadeRow({ row, madeFrom, form }: Props & { madeFrom: string }) {
  const fields = listFields(form.settings?.groups ?? []);
  const workflow = fields.find(({ key }) => key === "workflow");
  const id = workflow === undefined ? "" : findText(workflow, form.draft);
  return (
    <div className={styles.column}>
      <Card title="Made by the hub">
        <p className={styles.lead}>
          {`Name, description, tags and operations of this row are those of a workflow. ${madeFrom}`}
        </p>
        {id !== "" && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to="/workflows/$workflow" params={{ workflow: id }} />
            )}
          >
            Go to the workflow
          </Button>
        )}
      </Card>
      <DangerCard row={row} />
    </div>
  );
}

/** What must still be filled in, with a way to each field. */
function Missing({ keys, form }: { keys: string[]; form: RowForm }) {
  if (keys.length === 0) return null;
  const fields = listFields(form.settings?.groups ?? []);
  return (
    <Alert color="yellow" mb="md" title="Needs setup" icon={<Icon name="warning" />}>
      {"Operations can be called when these are set: "}
      {keys.map((key, at) => {
        const field = fields.find((one) => one.key === key);
        const label = field === undefined ? key : toLabel(field);
        return (
          <span key={key}>
            {at > 0 && ", "}
            {field === undefined ? (
              label
            ) : (
              <button type="button" className={styles.jump} onClick={() => jumpTo(key)}>
                {label}
              </button>
            )}
          </span>
        );
      })}
      .
    </Alert>
  );
}

/** Secrets of which the hub stores only the references. */
function Outside({ keys, form }: { keys: string[]; form: RowForm }) {
  if (keys.length === 0) return null;
  const fields = listFields(form.settings?.groups ?? []);
  const names = keys.map((key) => {
    const field = fields.find((one) => one.key === key);
    return field === undefined ? key : toLabel(field);
  });
  return (
    <Alert mb="md" title="Secrets outside the hub" icon={<Icon name="key" />}>
      {`${names.join(", ")}: kept outside the hub, where a hub file says. A value that you set here takes the place of the reference.`}
    </Alert>
  );
}

/** Secrets that callers of the row can guess, and what the hub does about it. */
function Weak({ form: { settings } }: Pick<Props, "form">) {
  const weak = settings?.weak ?? [];
  if (settings === null || weak.length === 0) return null;
  const fields = listFields(settings.groups);
  const names = weak.map((key) => {
    const field = fields.find((one) => one.key === key);
    return field === undefined ? key : toLabel(field);
  });
  return (
    <Alert
      color="yellow"
      mb="md"
      title="A secret that can be guessed"
      icon={<Icon name="warning" />}
    >
      {`${names.join(", ")} can be guessed by users who call this row, if the outside system returns what they send. So what they send is not recorded, and how much they may send in an hour is limited (HUB_BUDGET_GUESSES). A patient user can still find a common password. Set a longer random secret, if the outside system lets you.`}
    </Alert>
  );
}

/** Likely secrets in fields that everyone who sees the settings can read, and a way to seal them. */
function Exposed({ row, form }: Props) {
  const seal = useChange("POST /manager/api/rows/{row}/seal-secrets", {
    refreshes: ["GET /manager/api/rows/{row}/settings", "GET /manager/api/rows/{row}"],
  });
  const { settings, unsaved } = form;
  const exposed = settings?.exposed ?? [];
  if (settings === null || exposed.length === 0) return null;
  const fields = listFields(settings.groups);
  const toName = (key: string) => {
    const field = fields.find((one) => one.key === key);
    return field === undefined ? key : toLabel(field);
  };
  return (
    <Alert
      color="yellow"
      mb="md"
      title="Likely secrets in plain text"
      icon={<Icon name="warning" />}
    >
      <p className={styles.alertText}>
        {`The field ${[...new Set(exposed.map(({ field }) => toName(field)))].join(", ")} has ${
          exposed.length === 1 ? "a value that looks" : `${exposed.length} values that look`
        } like a secret (${exposed.map(({ name }) => name).join(", ")}). Everyone who sees these settings can read ${
          exposed.length === 1 ? "it" : "them"
        }. Sealed, ${exposed.length === 1 ? "it is" : "they are"} masked everywhere, and the row works as before.`}
      </p>
      {seal.error !== null && (
        <p className={styles.bad} role="alert">
          {seal.error.message}
        </p>
      )}
      <Button
        size="xs"
        leftSection={<Icon name="lock" />}
        loading={seal.isPending}
        disabled={unsaved.length > 0}
        onClick={() => seal.run({ params: { row: row.id }, body: { version: settings.version } })}
      >
        {unsaved.length > 0 ? "Save your changes first" : "Seal them"}
      </Button>
    </Alert>
  );
}

function jumpTo(key: string): void {
  const field = document.getElementById(toFieldId(key));
  field?.scrollIntoView({ block: "center" });
  field?.focus();
}

/** Says what someone else changed while the form was open. */
function OtherChanges({ changes, onClose }: { changes: OtherChange[]; onClose: () => void }) {
  if (changes.length === 0) return null;
  return (
    <Alert
      color="blue"
      mb="md"
      role="alert"
      title="Someone else has changed this row"
      withCloseButton
      closeButtonLabel="Hide the changes"
      onClose={onClose}
    >
      <ul className={styles.changes}>
        {changes.map(({ key, label, from, to, isTyped }) => (
          <li key={key}>
            <strong>{label}</strong>
            {to === null
              ? " has a new value."
              : ` is now ${quote(to)}, before ${quote(from ?? "")}.`}
            {isTyped && " You typed another value, which is kept and replaces it when you save."}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function quote(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return shown === "" ? "not set" : `“${shown}”`;
}

function SaveBar({ row, form }: Props) {
  const check = useChange("POST /manager/api/rows/{row}/health", { refreshes: [] });
  const review = useReview(row);
  const { unsaved, failure, isSaving } = form;
  const count = unsaved.length;
  return (
    <div className={styles.bar}>
      <div className={styles.barButtons}>
        <Button loading={isSaving} disabled={count === 0} onClick={form.save}>
          Save
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="health" />}
          loading={check.isPending}
          onClick={() => check.run({ params: { row: row.id } })}
        >
          Check connection
        </Button>
        {count > 0 && (
          <Button variant="subtle" onClick={form.discard}>
            Discard
          </Button>
        )}
        <span className={styles.count} role="status">
          {count === 0 ? "" : `${count} unsaved ${count === 1 ? "change" : "changes"}`}
        </span>
      </div>
      {failure !== null && (
        <p className={styles.bad} role="alert">
          {failure}
        </p>
      )}
      {check.isPending && row.connector === "mcp" && (
        <p role="status">
          If the row starts a program, the first start can take up to two minutes.
        </p>
      )}
      {check.data !== undefined && !check.isPending && (
        <p className={check.data.ok ? styles.good : styles.bad} role="status">
          <Icon name={check.data.ok ? "check" : "warning"} />
          {check.data.ok
            ? `The connection works.${count > 0 ? " The check used the saved settings." : ""}`
            : (check.data.reason ?? "The connection does not work.")}
        </p>
      )}
      {!check.isPending && <ProgramOutput of={check.data} />}
      {check.error !== null && (
        <p className={styles.bad} role="alert">
          {check.error.message}
        </p>
      )}
      <ProgramOutput of={check.error?.detail} />
      {count === 0 && row.missing?.length === 0 && review.data?.discovered_at === null && (
        <p role="status">
          {"No operations are discovered yet. "}
          <button type="button" className={styles.jump} onClick={jumpToDiscover}>
            Go to Discover
          </button>
        </p>
      )}
    </div>
  );
}

function DangerCard({ row }: { row: ShownRow }) {
  const madeFrom = useMadeFrom(row.connector);
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("DELETE /manager/api/rows/{row}", {
    refreshes: ["GET /manager/api/rows"],
    onDone: () =>
      void navigate({
        to: "/manager/connectors/$key",
        params: { key: row.connector },
        ignoreBlocker: true,
      }),
  });
  return (
    <Card title="Delete this row">
      <p className={styles.lead}>
        {madeFrom === null
          ? "Its settings and secrets are lost. Its recorded runs stay until they are purged."
          : "The next change of its workflow makes it again, so disable it instead to keep it away. Its recorded runs stay until they are purged."}
      </p>
      <Button
        color="red"
        variant="outline"
        leftSection={<Icon name="trash" />}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete ${row.label}?`}
        action="Delete"
        name={row.label}
        isBusy={remove.isPending}
        onConfirm={() => remove.run({ params: { row: row.id } })}
        onClose={() => setAsking(false)}
      >
        <p>Clients that use it get an error at their next call. This cannot be undone.</p>
        {remove.error !== null && <p role="alert">{remove.error.message}</p>}
      </ConfirmDialog>
    </Card>
  );
}
