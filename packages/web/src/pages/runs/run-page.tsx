import type { HistoryRun } from "@hub/contract/run-history.ts";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { toCallName } from "../../ui/text/call-names.ts";
import { InnerCalls } from "./inner-calls.tsx";
import { RowLink, RunActions } from "./run-actions.tsx";
import { RunPayload, RunProperties } from "./run-details.tsx";
import { useRun } from "./use-run.ts";

/** One call: who, when, how it ended, what was sent and what came back. */
export function RunPage() {
  const { run: id } = useParams({ from: "/manager/runs/$run" });
  const navigate = useNavigate();
  const run = useRun(id);
  const found = run.data;
  const open = (next: string) => void navigate({ to: "/manager/runs/$run", params: { run: next } });
  return (
    <Page
      title={found === undefined ? "Call" : toCallName(found)}
      icon={found?.row_label != null && <RowLogo run={found} />}
      parent={<Link to="/manager/runs">Calls</Link>}
      lead={found && <RowLink run={found} />}
      actions={found && <RunActions run={found} onRetried={open} />}
    >
      <Loaded of={run} what="The call" skeleton={<PageSkeleton lines={8} />}>
        {(loaded) => (
          <>
            <RunProperties run={loaded} />
            <InnerCalls key={`calls of ${loaded.id}`} run={loaded} />
            <RunPayload run={loaded} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function RowLogo({ run: { connector_id: id, row_label: label, logo } }: { run: HistoryRun }) {
  return <ConnectorLogo connectorKey={id ?? ""} name={label ?? ""} logo={logo} />;
}
