import { Link } from "@tanstack/react-router";
import { type Ref, useEffect } from "react";
import { WithLogo } from "../../ui/badges/with-logo.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { toCallArgument, toCallName } from "../../ui/text/call-names.ts";
import { InnerCalls } from "./inner-calls.tsx";
import { RowLink, RunActions } from "./run-actions.tsx";
import { RunPayload, RunProperties } from "./run-details.tsx";
import styles from "./run-panel.module.css";
import { useRun } from "./use-run.ts";

type Props = {
  id: string;
  /** Null at the ends of the list. */
  onNext: (() => void) | null;
  onPrevious: (() => void) | null;
  onOpen: (id: string) => void;
  onClose: () => void;
  ref: Ref<HTMLElement>;
};

/** One call beside the list. */
export function RunPanel({ id, onNext, onPrevious, onOpen, onClose, ref }: Props) {
  const run = useRun(id);
  const found = run.data;
  // Another call begins at its top.
  useEffect(() => {
    document.getElementById(`call-${id}`)?.scrollTo({ top: 0 });
  }, [id]);
  return (
    <aside className={styles.panel} aria-label="Call" id={`call-${id}`} tabIndex={-1} ref={ref}>
      <div className={styles.head}>
        <h2 className={styles.title}>{found === undefined ? "Call" : toCallName(found)}</h2>
        <div className={styles.moves}>
          <IconButton
            icon="left"
            label="Previous call (k)"
            aria-keyshortcuts="k ArrowUp"
            disabled={onPrevious === null}
            onClick={onPrevious ?? undefined}
          />
          <IconButton
            icon="right"
            label="Next call (j)"
            aria-keyshortcuts="j ArrowDown"
            disabled={onNext === null}
            onClick={onNext ?? undefined}
          />
          <Link to="/manager/runs/$run" params={{ run: id }} className={styles.whole}>
            Open page
          </Link>
          <IconButton
            icon="close"
            label="Close (Escape)"
            aria-keyshortcuts="Escape"
            onClick={onClose}
          />
        </div>
      </div>
      <p className={styles.lead}>
        {found?.row_label != null && (
          <WithLogo
            connectorKey={found.connector_id ?? ""}
            name={found.row_label}
            logo={found.logo}
          >
            <RowLink run={found} />
          </WithLogo>
        )}
        {found !== undefined && toCallArgument(found) !== null && (
          <code>{toCallArgument(found)}</code>
        )}
      </p>
      <Loaded of={run} what="The call" skeleton={<PageSkeleton lines={8} />}>
        {(loaded) => (
          <>
            <div className={styles.actions}>
              <RunActions key={loaded.id} run={loaded} onRetried={onOpen} />
            </div>
            <RunProperties run={loaded} onOpen={onOpen} />
            <InnerCalls key={`calls of ${loaded.id}`} run={loaded} onOpen={onOpen} />
            <RunPayload run={loaded} />
          </>
        )}
      </Loaded>
    </aside>
  );
}
