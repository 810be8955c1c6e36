import type { WorkflowDiagnosis } from "@hub/contract/workflow-explanation.ts";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../../api/use-api.ts";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { formatExact, formatNumber } from "../../../ui/text/format.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import styles from "../../../workflow-parts/explanation.module.css";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { Words } from "../../../workflow-parts/words.tsx";

type Props = { workflow: string; run: string; onGo: (id: string) => void };

/** Why a run failed: the reason, what to do, and what has changed since the step last worked. */
export function Diagnosis({ workflow, run, onGo }: Props) {
  const diagnosis = useApi("GET /manager/api/workflows/{workflow}/runs/{run}/diagnosis", {
    params: { workflow, run },
  });
  return (
    <Loaded of={diagnosis} what="The diagnosis" skeleton={<PageSkeleton lines={4} />}>
      {(found) => <Found of={found} workflow={workflow} onGo={onGo} />}
    </Loaded>
  );
}

type FoundProps = { of: WorkflowDiagnosis } & Omit<Props, "run">;

function Found({ of, workflow, onGo }: FoundProps) {
  const { summary, step, meaning, led_by: causes } = of;
  return (
    <div className={styles.words}>
      <p className={styles.summary}>
        <Words text={summary} />
      </p>
      {meaning !== null && (
        <>
          <p>
            <Words text={meaning.meaning} />
          </p>
          <h2>What to do</h2>
          <p>
            <Words text={meaning.advice} />
          </p>
        </>
      )}
      {causes.length > 0 && (
        <>
          <h2>What led to it</h2>
          <ul>
            {causes.map(({ node_id: id, message, code }) => (
              <li key={`${id} ${message}`}>
                {id !== null && (
                  <button type="button" className={styles.name} onClick={() => onGo(id)}>
                    {id}
                  </button>
                )}
                {` ${message} `}
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {step !== null && (
        <p>
          <button type="button" className={styles.name} onClick={() => onGo(step.node_id)}>
            {`Show the step ${step.node_id}`}
          </button>
          {step.call_run_id !== null && (
            <>
              {" · "}
              <Link to="/manager/runs/$run" params={{ run: step.call_run_id }}>
                Recorded call
              </Link>
            </>
          )}
        </p>
      )}
      {step !== null && <Changes of={of} workflow={workflow} />}
    </div>
  );
}

function Changes({ of, workflow }: Omit<FoundProps, "onGo">) {
  const { changes, last_success: last, runs_searched: searched } = of;
  if (last === null || changes === null) {
    return (
      <>
        <h2>Since it last worked</h2>
        <p>
          {searched === 0 && "There is no earlier run to compare with."}
          {searched === 1 && "It did not work in the one run before this one."}
          {searched > 1 &&
            `It has not worked in the last ${formatNumber(searched)} runs before this one.`}
        </p>
      </>
    );
  }
  const { body, input, event, records } = changes;
  const isSame = body.length + input.length + event.length + records.length === 0;
  return (
    <>
      <h2>Since it last worked</h2>
      <p>
        {"It last worked in "}
        <WorkflowRunLink workflow={workflow} run={last.run_id}>
          {last.version === null ? "a run of a draft" : `a run of version ${last.version}`}
        </WorkflowRunLink>
        {", "}
        <TimeAgo at={last.at} />.{isSame && " Nothing that the hub knows of has changed since."}
      </p>
      {body.length > 0 && (
        <>
          <h2>The workflow</h2>
          <ul>
            {body.map((text) => (
              <li key={text}>
                <Words text={text} />
              </li>
            ))}
          </ul>
        </>
      )}
      <Differences title="What the step gets" values={input} />
      <Differences title="The event, as far as it is read" values={event.filter(isRead)} />
      <Differences title="The event, elsewhere" values={event.filter((one) => !one.is_read)} />
      {records.length > 0 && (
        <>
          <h2>Around it</h2>
          <ul>
            {records.map(({ at, text, by }) => (
              <li key={`${at} ${text}`}>
                <Words text={text} />
                <span className={styles.soft}>
                  {` ${formatExact(at)}${by === null ? "" : `, by ${by}`}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const isRead = ({ is_read: read }: { is_read: boolean }) => read;

type Difference = { path: string; before?: unknown; after?: unknown };

function Differences({ title, values }: { title: string; values: readonly Difference[] }) {
  if (values.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {values.map(({ path, ...value }) => (
          <li key={path}>
            <code>{path === "" ? "the whole value" : path}</code>
            <span className={styles.values}>
              <span>
                {"then: "}
                {"before" in value ? <code>{toText(value.before)}</code> : "absent"}
              </span>
              <span>
                {"now: "}
                {"after" in value ? <code>{toText(value.after)}</code> : "absent"}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const charsMax = 300;

function toText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
