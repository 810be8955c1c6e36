import type { ImportReport } from "@hub/contract/server-import.ts";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Card } from "../../ui/page/card.tsx";
import { formatCount } from "../../ui/text/format.ts";
import styles from "./import.module.css";

/** Which rows an import has made, which not, and what to do next. */
export function ReportCard({ report: { added, failed } }: { report: ImportReport }) {
  const lead = useRef<HTMLParagraphElement>(null);
  useEffect(() => lead.current?.focus(), []);
  return (
    <Card title="Import">
      <p className={styles.lead} ref={lead} tabIndex={-1} role="status">
        {added.length === 0
          ? "No row was made."
          : `${formatCount(added.length, "row")} made. Their operations are discovered now; then you approve them below.`}
      </p>
      {added.length > 0 && (
        <ul className={styles.report} aria-label="Rows made">
          {added.map(({ id, label, missing }) => (
            <li key={id}>
              <Link to="/manager/connectors/$key/$row" params={{ key: "mcp", row: id }}>
                <bdi>{label}</bdi>
              </Link>
              {missing.length > 0 && <span>{`Still needs ${missing.join(", ")}.`}</span>}
            </li>
          ))}
        </ul>
      )}
      {failed.length > 0 && (
        <>
          <h3 className={styles.part}>Not made</h3>
          <ul className={styles.report} aria-label="Servers not imported">
            {failed.map(({ index, label, reason }) => (
              <li key={index}>
                <bdi>{label}</bdi> <span className={styles.bad}>{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
