import { useDebouncedValue } from "@mantine/hooks";
import { useApi } from "../../../../api/use-api.ts";
import type { FieldProps } from "../inputs/field-kit.ts";
import { PlainRow } from "../inputs/field-row.tsx";
import styles from "../inspector.module.css";

type Props = FieldProps & { timezone: unknown };

const askAfterMs = 400;

/** A cron expression, in words and with its next times. */
export function ScheduleField({ timezone: zone, ...props }: Props) {
  const typed = {
    schedule: String(props.value ?? "").trim(),
    ...(typeof zone === "string" && zone !== "" && { timezone: zone }),
  };
  const [query] = useDebouncedValue(typed, askAfterMs);
  // While it is typed, it has fewer fields.
  const isOn = query.schedule.split(/\s+/).length === 6;
  const { data, error } = useApi("GET /manager/api/workflow-schedule", { query }, { isOn });
  return (
    <>
      <PlainRow {...props} spec={{ ...props.spec, kind: "text" }} />
      {isOn && (data !== undefined || error !== null) && (
        <div className={styles.preview} data-bad={error !== null || undefined} aria-live="polite">
          {error?.message ?? `${data?.words}, ${data?.timezone}. The next times:`}
          {error === null && data !== undefined && (
            <ol className={styles.ticks}>
              {data.ticks.map(({ at, local_time: time }) => (
                <li key={at}>
                  <time dateTime={at}>{time}</time>
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
    </>
  );
}
