import { Button } from "@mantine/core";
import { useChange } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { ProgramOutput } from "../../../ui/page/program-output.tsx";
import { jumpToDiscover } from "../operations/use-discovery.ts";
import { useReview } from "../operations/use-review.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import type { RowForm } from "./use-row-form.ts";

/** Saves or discards what is typed, and checks the connection. */
export function SaveBar({ row, form }: { row: ShownRow; form: RowForm }) {
  const check = useCheck();
  const review = useReview(row);
  const { unsaved, failure, isSaving } = form;
  const count = unsaved.length;
  return (
    <div className={styles.bar}>
      <div className={styles.barButtons}>
        <Button
          variant={count === 0 ? "default" : "filled"}
          loading={isSaving}
          disabled={count === 0}
          onClick={form.save}
        >
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
      <CheckOutcome check={check} row={row} hasUnsaved={count > 0} />
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

function useCheck() {
  return useChange("POST /manager/api/rows/{row}/health", { refreshes: [] });
}

type OutcomeProps = { check: ReturnType<typeof useCheck>; row: ShownRow; hasUnsaved: boolean };

function CheckOutcome({ check, row, hasUnsaved }: OutcomeProps) {
  return (
    <>
      {check.isPending && row.connector === "mcp" && (
        <p role="status">
          If the row starts a program, the first start can take up to two minutes.
        </p>
      )}
      {check.data !== undefined && !check.isPending && (
        <p className={check.data.ok ? styles.good : styles.bad} role="status">
          <Icon name={check.data.ok ? "check" : "warning"} />
          {check.data.ok
            ? `The connection works.${hasUnsaved ? " The check used the saved settings." : ""}`
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
    </>
  );
}
