import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { Card } from "../../ui/page/card.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../workflow-parts/runs/run-link.tsx";
import { useMyApprovals } from "../../workflow-parts/use-my-approvals.ts";
import styles from "./home.module.css";

const everyMs = 60_000;
const linesMax = 8;
/** Fewer are typing errors. */
const unknownMin = 20;

/** What an admin should look at, with a link to where it is solved. Nothing is shown while all is well. */
export function AdminAttention() {
  const lines = [
    ...useApprovals(),
    ...useRefusedSignIns(),
    ...useBackup(),
    ...usePlugins(),
    ...useChannels(),
    ...useWorkflows(),
    ...useWaitingUsers(),
    ...useRows(),
  ];
  return <Lines lines={lines} />;
}

/** The same for other users: what they decide, and their workflows that failed. */
export function OwnAttention() {
  const { user } = useMe();
  return <Lines lines={[...useApprovals(), ...useWorkflows(user.id)]} />;
}

function Lines({ lines }: { lines: readonly Line[] }) {
  if (lines.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className={styles.attention}>
        {lines.slice(0, linesMax).map(({ key, line }) => (
          <li key={key}>
            <Icon name="warning" />
            <span>{line}</span>
          </li>
        ))}
      </ul>
      {lines.length > linesMax && <p>{`And ${formatNumber(lines.length - linesMax)} more.`}</p>}
    </Card>
  );
}

type Line = { key: string; line: ReactNode };

const approvalsShown = 3;

/** Runs that wait for the user's decision. */
function useApprovals(): Line[] {
  const waiting = useMyApprovals();
  const lines = waiting
    .slice(0, approvalsShown)
    .map(({ id, title, workflow_name: name, ...one }) => ({
      key: `approval ${id}`,
      line: (
        <>
          <Link to="/approvals/$approval" params={{ approval: id }}>
            <bdi>{title}</bdi>
          </Link>
          {" waits for your decision in "}
          <bdi>{name}</bdi>
          {", and expires "}
          <TimeAgo at={one.expires_at} />.
        </>
      ),
    }));
  if (waiting.length <= approvalsShown) return lines;
  const more = waiting.length - approvalsShown;
  const line = <Link to="/approvals">{`${formatNumber(more)} more wait for your decision.`}</Link>;
  return [...lines, { key: "more approvals", line }];
}

function useRows(): Line[] {
  const { data } = useApi("GET /manager/api/rows", {});
  return (data?.rows ?? []).flatMap(({ id, connector, label, missing, disabled }) =>
    disabled || missing === null || missing.length === 0
      ? []
      : [
          {
            key: id,
            line: (
              <>
                <Link
                  to="/manager/connectors/$key/$row"
                  params={{ key: connector, row: id }}
                  search={{ tab: "settings" }}
                >
                  <bdi>{label}</bdi>
                </Link>
                {` needs setup: ${missing.join(", ")}`}
              </>
            ),
          },
        ],
  );
}

/** Workflows whose last run failed: all, or those of one owner. */
function useWorkflows(owner?: string): Line[] {
  const query = {
    state: "failing",
    limit: linesMax,
    ...(owner !== undefined && { owner }),
  } as const;
  const { data } = useApi("GET /manager/api/workflows", { query }, { everyMs });
  const lines = (data?.workflows ?? []).map(({ id, name, last_run: run }) => ({
    key: `workflow ${id}`,
    line: (
      <>
        {run === null ? (
          "The last run"
        ) : (
          <WorkflowRunLink workflow={id} run={run.id}>
            The last run
          </WorkflowRunLink>
        )}
        {" of "}
        <Link to="/workflows/$workflow" params={{ workflow: id }} search={{ state: "failed" }}>
          <bdi>{name}</bdi>
        </Link>
        {` failed: ${run?.error?.message ?? "the run has the reason."}`}
      </>
    ),
  }));
  if (data?.next == null) return lines;
  const line = (
    <Link to="/workflows" search={{ state: "failing" }}>
      More workflows have failed.
    </Link>
  );
  return [...lines, { key: "more workflows", line }];
}

/** A timer or a person has forgotten it. */
function useBackup(): Line[] {
  const { data } = useApi("GET /admin/api/status", {}, { everyMs });
  if (data?.backup?.late !== true) return [];
  const line = (
    <>
      <Link to="/admin/health">The next backup</Link>
      {" is late. The last one was made "}
      <TimeAgo at={data.backup.made_at} />.
    </>
  );
  return [{ key: "backup", line }];
}

function usePlugins(): Line[] {
  const { data } = useApi("GET /manager/api/plugins", {}, { everyMs });
  return (data?.plugins ?? []).flatMap(({ key, problem }) =>
    problem === null
      ? []
      : [
          {
            key,
            line: (
              <>
                {"The plugin "}
                <Link to="/manager/connectors" search={{ q: key }}>
                  {key}
                </Link>
                {` fails: ${problem}`}
              </>
            ),
          },
        ],
  );
}

/** Channels that the platform refuses, or that cannot be reached. */
function useChannels(): Line[] {
  const { data } = useApi("GET /manager/api/channels", {}, { everyMs });
  return (data?.channels ?? []).flatMap(({ id, connector, label, state, reason }) =>
    (state === "failed" || state === "connecting") && reason !== null
      ? [
          {
            key: `channel ${id}`,
            line: (
              <>
                {"The channel "}
                <Link
                  to="/manager/connectors/$key/$row"
                  params={{ key: connector, row: id }}
                  search={{ tab: "settings" }}
                >
                  <bdi>{label}</bdi>
                </Link>
                {` is not connected: ${reason}`}
              </>
            ),
          },
        ]
      : [],
  );
}

function useWaitingUsers(): Line[] {
  const { data } = useApi("GET /admin/api/users", {}, { everyMs });
  const waiting = (data?.users ?? []).filter(({ status }) => status === "pending").length;
  if (waiting === 0) return [];
  const text = waiting === 1 ? "One user waits" : `${formatNumber(waiting)} users wait`;
  const line = (
    <>
      <Link to="/admin/users" search={{ status: "pending" }}>
        {text}
      </Link>
      {" for approval."}
    </>
  );
  return [{ key: "waiting users", line }];
}

function useRefusedSignIns(): Line[] {
  const { data } = useApi("GET /admin/api/refused-sign-ins", {}, { everyMs });
  const lines: Line[] = (data?.users ?? []).map(({ id, email, refused }) => ({
    key: `sign-ins of ${id}`,
    line: (
      <>
        {`${formatNumber(refused)} sign-ins of `}
        <Link to="/admin/users/$user" params={{ user: id }}>
          <bdi>{email}</bdi>
        </Link>
        {" were refused in the last day."}
      </>
    ),
  }));
  const unknown = data?.unknown ?? 0;
  if (unknown < unknownMin) return lines;
  const line = (
    <>
      {`${formatNumber(unknown)} sign-ins with e-mails of `}
      <Link to="/admin/users">no user</Link>
      {" were refused in the last day."}
    </>
  );
  return [...lines, { key: "sign-ins of strangers", line }];
}
