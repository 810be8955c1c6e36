import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { findText, listFields } from "../../../form/field-form.ts";
import { Card } from "../../../ui/page/card.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { DangerCard } from "./danger-card.tsx";
import type { RowForm } from "./use-row-form.ts";

type Props = {
  row: ShownRow;
  /** A sentence that says which workflow it is made from. */
  madeFrom: string;
  form: RowForm;
};

/** A row that the hub makes from a workflow: what it is made from, and no way to change it here. */
export function MadeRow({ row, madeFrom, form }: Props) {
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
