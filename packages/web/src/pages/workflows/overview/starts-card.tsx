import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowTicks } from "@hub/contract/workflow-summary.ts";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded, type Reading } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { describeTriggerType } from "../../../workflow-parts/describe-trigger.ts";
import { type Item, readBody } from "../../canvas/graph/body.ts";
import { describeItem } from "../../canvas/graph/describe-item.ts";
import styles from "./overview.module.css";

type Props = {
  workflow: WorkflowDetail;
  body: unknown;
  /** Of cron triggers, for those who see them. */
  ticks: Reading<{ triggers: WorkflowTicks[] }> | null;
};

const triggersShown = 10;
const ticksShown = 3;

/** What starts the workflow, and when it starts next. */
export function StartsCard({ workflow, body, ticks }: Props) {
  const { enabled, version, id, access } = workflow;
  const triggers = readBody(body)?.triggers ?? [];
  const words = new Map(
    (ticks?.data?.triggers ?? []).map((one) => {
      return [one.trigger_id, one.words && `${one.words} (${one.timezone})`];
    }),
  );
  const more = access === "manage" && (
    <Link to="/workflows/$workflow" params={{ workflow: id }} search={{ tab: "schedule" }}>
      Schedule
    </Link>
  );
  return (
    <Card title="What starts it" actions={more}>
      {version > 0 && !enabled && (
        <p className={styles.none}>The workflow is disabled: only people start it.</p>
      )}
      {triggers.length === 0 && <p className={styles.none}>Nothing: it has no trigger.</p>}
      <ul className={styles.lines}>
        {triggers.slice(0, triggersShown).map((trigger) => {
          const { icon, name } = describeTriggerType(trigger.type);
          const label = typeof trigger.label === "string" ? trigger.label : "";
          return (
            <li key={trigger.id}>
              <span className={styles.named}>
                <Icon name={icon} />
                {label || name}
              </span>
              <span className={styles.soft}>
                {words.get(trigger.id) ?? <TriggerWords trigger={trigger} />}
              </span>
            </li>
          );
        })}
        {triggers.length > triggersShown && (
          <li className={styles.whole}>{`And ${triggers.length - triggersShown} more.`}</li>
        )}
      </ul>
      {ticks !== null && (
        <Loaded of={ticks} what="The next times" skeleton={<PageSkeleton lines={2} />}>
          {(found) => <NextTimes triggers={found.triggers} isOn={enabled} />}
        </Loaded>
      )}
    </Card>
  );
}

/** Of a draft, and for those who do not see the times, the schedule is put into words alone. */
function TriggerWords({ trigger }: { trigger: Item }) {
  const { type, schedule, timezone } = trigger;
  const query = {
    schedule: typeof schedule === "string" ? schedule : "",
    ...(typeof timezone === "string" && timezone !== "" && { timezone }),
  };
  const isOn = type === "cron" && query.schedule !== "";
  const { data, error } = useApi("GET /manager/api/workflow-schedule", { query }, { isOn });
  if (isOn && data === undefined && error === null) return "\u00a0";
  return data === undefined ? describeItem(trigger, true) : `${data.words} (${data.timezone})`;
}

function NextTimes({ triggers, isOn }: { triggers: readonly WorkflowTicks[]; isOn: boolean }) {
  const times = triggers.flatMap(({ ticks }) => ticks).toSorted();
  if (times.length === 0 || !isOn) return null;
  return (
    <p className={styles.times}>
      <strong>{times.length === 1 ? "Next time" : "Next times"}</strong>
      {times.slice(0, ticksShown).map((at) => (
        <TimeAt key={at} at={at} />
      ))}
    </p>
  );
}
