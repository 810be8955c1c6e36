import { Link } from "@tanstack/react-router";
import { useApi } from "../../../api/use-api.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { RunModeBadge } from "../../../workflow-parts/runs/run-mode-badge.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import look from "./run.module.css";

const everyMs = 10_000;
const shownMax = 50;

/** The last runs of the workflow beside the one that is shown. */
export function RunSide({ workflow, run }: { workflow: string; run: string }) {
  const { data } = useApi(
    "GET /manager/api/workflows/{workflow}/runs",
    { params: { workflow }, query: { limit: shownMax } },
    { everyMs },
  );
  return (
    <nav className={look.side} aria-label="Runs of this workflow">
      <h2>Runs</h2>
      <ul>
        {(data?.runs ?? []).map(({ id, state, mode, created_at: at }) => (
          <li key={id}>
            <Link
              to="/workflows/$workflow/runs/$run"
              params={{ workflow, run: id }}
              aria-current={id === run ? "page" : undefined}
            >
              <RunStateBadge state={state} />
              <TimeAgo at={at} />
              <RunModeBadge mode={mode} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
