import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { findText, listFields } from "../../../form/field-form.ts";
import { FieldForm } from "../../../form/form.tsx";
import { DetailSkeleton } from "../../../ui/page/detail-skeleton.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { PageError } from "../../../ui/page/page-error.tsx";
import { Waiting } from "../../../ui/page/waiting.tsx";
import { DiscoveryCard } from "../operations/discovery-card.tsx";
import { useOperationsByRow } from "../operations/use-review.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { useMadeFrom } from "../use-made-from.ts";
import { ChannelConnection, ChannelDetails } from "./channel-card.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { DangerCard } from "./danger-card.tsx";
import { MadeRow } from "./made-row.tsx";
import { MissingFields } from "./missing-fields.tsx";
import { NameCard } from "./name-card.tsx";
import { OtherChanges } from "./other-changes.tsx";
import { SaveBar } from "./save-bar.tsx";
import { ExposedSecrets, OutsideSecrets, WeakSecrets } from "./secret-notices.tsx";
import { ServersCard } from "./servers-card.tsx";
import type { RowForm } from "./use-row-form.ts";

type Props = { row: ShownRow; form: RowForm };

/** The settings of a row: what is missing, the cards of fields, the check, and the row itself. */
export function SettingsTab({ row, form }: Props) {
  const { settings, loading } = form;
  const isByRow = useOperationsByRow(row.connector);
  const madeFrom = useMadeFrom(row.connector);
  if (row.missing === null) {
    return <WithoutConnector row={row} />;
  }
  if (settings === null) {
    if (loading.error === null) {
      return (
        <Waiting what="The settings">
          <DetailSkeleton cards={[4, 4, 2]} />
        </Waiting>
      );
    }
    return <PageError what="The settings" error={loading.error} onRetry={loading.retry} />;
  }
  if (madeFrom !== null) return <MadeRow row={row} madeFrom={madeFrom} form={form} />;
  const missing = settings.missing.filter((key) => {
    const field = listFields(settings.groups).find((one) => one.key === key);
    return field === undefined || field.secret || findText(field, form.draft) === "";
  });
  const mode = listFields(settings.groups).find(({ key }) => key === "auth_mode");
  const hasSignIn = mode !== undefined && findText(mode, form.draft) === "oauth";
  const isConnectable = row.connector === "mcp" || hasSignIn || row.access !== "shared";
  return (
    <div className={styles.column}>
      {row.slug !== undefined && <ChannelConnection row={row} />}
      <OtherChanges changes={form.changes} onClose={form.dismissChanges} />
      <MissingFields keys={missing} form={form} />
      <ExposedSecrets row={row} form={form} />
      <WeakSecrets form={form} />
      <OutsideSecrets keys={settings.outside ?? []} form={form} />
      <FieldForm
        groups={settings.groups}
        draft={form.draft}
        onDraft={form.onDraft}
        host={form.host}
        issues={form.issues}
        missing={[]}
      />
      <SaveBar row={row} form={form} />
      {isConnectable && <ConnectionCard row={row} hasUnsaved={form.unsaved.length > 0} />}
      {row.connector === "openapi" && <ServersCard row={row} form={form} />}
      {isByRow === true && <DiscoveryCard row={row} hasLink hasUnsaved={form.unsaved.length > 0} />}
      <NameCard row={row} />
      {row.slug !== undefined && <ChannelDetails row={row} />}
      <DangerCard row={row} />
    </div>
  );
}

/** A row whose connector is gone or broken: nothing to set, but it can be deleted. */
function WithoutConnector({ row }: { row: ShownRow }) {
  return (
    <>
      <EmptyState
        icon="connectors"
        title="The settings cannot be changed now"
        action={
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to="/manager/add" search={{ q: row.connector }} />
            )}
          >
            Go to the plugin
          </Button>
        }
      >
        Without its connector, the hub does not know the fields of this row. Their values are kept.
      </EmptyState>
      <DangerCard row={row} />
    </>
  );
}
