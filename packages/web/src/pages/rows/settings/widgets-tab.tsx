import { toFieldLabel } from "@hub/contract/field-label.ts";
import { useMemo } from "react";
import { useApiClient } from "../../../api/use-api.ts";
import { toFieldId } from "../../../form/form.tsx";
import type { FormHost } from "../../../form/form-host.ts";
import { HtmlField } from "../../../form/html/html-field.tsx";
import { Card } from "../../../ui/page/card.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";

/** The html widgets of a row's settings, for users who may test the row and do not see the settings. */
export function WidgetsTab({ row }: { row: ShownRow }) {
  const host = useWidgetHost(row);
  return (
    <div className={styles.column}>
      {row.widgets.map((widget) => (
        <Card key={widget.key}>
          <HtmlField
            field={{ ...widget, required: false }}
            id={toFieldId(widget.key)}
            label={toFieldLabel(widget)}
            // Only admins see the value.
            text=""
            error={null}
            host={host}
            onChange={nothing}
          />
        </Card>
      ))}
      <p className={styles.lead}>
        The connector makes these. A click calls an operation of the row. Only admins change the
        settings of the row.
      </p>
    </div>
  );
}

/** A change of the row by an admin renders the widgets again. */
function useWidgetHost({ id, version }: ShownRow): FormHost {
  const api = useApiClient();
  return useMemo<FormHost>(
    () => ({
      version,
      sendsChoices: true,
      widget: ({ key }, _, click) =>
        api.call("POST /manager/api/rows/{row}/fields/{field}/widget", {
          params: { row: id, field: key },
          body: { ...click },
        }),
    }),
    [api, id, version],
  );
}

const nothing = () => {};
