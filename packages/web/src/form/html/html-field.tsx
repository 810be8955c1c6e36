import { Button, Input } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { asApiError } from "../../api/api-error.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import styles from "../form.module.css";
import type { WidgetAnswer, WidgetProps } from "../form-host.ts";
import { toHelp } from "../input-props.tsx";
import { HtmlWidget, type WidgetClick } from "./html-widget.tsx";

type Shown = { html: string; isCut: boolean; notes: string[] };

/** A choice in the widget, which calls no operation. */
const selectOp = "__select";

type Props = Omit<WidgetProps, "field"> & {
  field: Pick<WidgetProps["field"], "key" | "description" | "locked" | "required">;
};

/** A widget that one of the connector's operations renders, from the saved settings. */
export function HtmlField({ field, id, label, text, error, host, onChange }: Props) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const asked = useRef(0);
  const latest = useRef({ field, host, text });
  useEffect(() => {
    latest.current = { field, host, text };
  });
  /** The version that the markup shows. A click renders it with its own answer. */
  const rendered = useRef<number | null>(null);

  const isFormOnly = host.save === undefined && host.sendsChoices !== true;
  const use = async (click?: WidgetClick) => {
    // Among the inputs of a call the form has the value, and nothing is saved.
    if (isFormOnly && click?.op === selectOp) {
      onChange(click.arg ?? "");
      return;
    }
    asked.current += 1;
    const mine = asked.current;
    setBusy(true);
    try {
      const answer = await latest.current.host.widget?.(
        latest.current.field,
        latest.current.text,
        click,
      );
      if (mine !== asked.current || answer === undefined) return;
      setFailure(null);
      setShown({ html: answer.html, isCut: answer.html_cut === true, notes: toNotes(answer) });
      if ((answer.saved ?? []).length > 0) rendered.current = null;
    } catch (thrown) {
      if (mine === asked.current) setFailure(asApiError(thrown).message);
    } finally {
      if (mine === asked.current) setBusy(false);
    }
  };
  const run = useRef(use);
  useEffect(() => {
    run.current = use;
  });
  useEffect(() => {
    const isOwnChange = rendered.current === null && asked.current > 0;
    rendered.current = host.version;
    if (!isOwnChange) void run.current();
  }, [host.version]);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={toHelp(field.description, field.locked)}
      error={error}
      withAsterisk={field.required}
    >
      <div className={styles.widget} id={id} tabIndex={-1}>
        {failure !== null && <p role="alert">{failure}</p>}
        {shown === null && failure === null && <p className={styles.soft}>Asking the connector…</p>}
        {shown !== null && (
          <HtmlWidget
            html={shown.html}
            isCut={shown.isCut}
            label={label}
            isBusy={isBusy || field.locked}
            onClick={(click) => void use(click)}
          />
        )}
        {shown?.notes.map((note) => (
          <p key={note} role="status">
            {note}
          </p>
        ))}
        <div className={styles.widgetFoot}>
          <span className={styles.soft}>
            {host.hasUnsaved === true
              ? "Save first: it uses the saved settings."
              : text === ""
                ? ""
                : `${isFormOnly ? "Chosen" : "Stored"}: ${text}`}
          </span>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<Icon name="refresh" />}
            loading={isBusy}
            onClick={() => void use()}
            aria-label={`Refresh ${label}`}
          >
            Refresh
          </Button>
        </div>
      </div>
    </Input.Wrapper>
  );
}

function toNotes({ saved = [], not_saved = [] }: WidgetAnswer): string[] {
  return [
    ...(saved.length > 0 ? [`Saved: ${saved.join(", ")}.`] : []),
    ...not_saved.map(({ field, reason }) => `${field} was not saved: ${reason}`),
  ];
}
