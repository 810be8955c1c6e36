import type { AttentionItem, AttentionKind } from "@hub/contract/attention.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { usePages } from "../../api/use-api.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { PathLink } from "../../ui/controls/path-link.tsx";
import { Card } from "../../ui/page/card.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import styles from "./home.module.css";

const everyMs = 60_000;
const shownFirst = 8;
const pageSize = 50;

/** What needs the user, the most harmful first. */
export function useAttention() {
  return usePages("GET /manager/api/attention", { query: { limit: pageSize } }, "after", {
    everyMs,
  });
}

type Props = { pages: ReturnType<typeof useAttention> };

/** All of it can be reached, some lines at a time. Nothing is shown while all is well. */
export function Attention({ pages }: Props) {
  const [shownMax, setShownMax] = useState(shownFirst);
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const total = pages.data?.pages.at(-1)?.total ?? 0;
  if (items.length === 0) return null;
  const left = total - Math.min(shownMax, items.length);
  const showMore = () => {
    setShownMax(shownMax + pageSize);
    if (shownMax + pageSize > items.length) pages.onMore?.();
  };
  return (
    <Card title="Needs attention">
      <ul className={styles.attention}>
        {items.slice(0, shownMax).map((item) => (
          <Line key={`${item.kind} ${item.subject.id} ${item.subject.name}`} item={item} />
        ))}
      </ul>
      <MoreFailed of={pages} what="The rest" />
      {left > 0 && (
        <Button
          variant="subtle"
          size="xs"
          mt="xs"
          loading={pages.isFetchingNextPage}
          onClick={showMore}
        >
          {`Show more (${formatNumber(left)} left)`}
        </Button>
      )}
    </Card>
  );
}

const names: Record<AttentionKind, string> = {
  database_damaged: "Damaged",
  check_failed: "Fails",
  disk_low: "Disk low",
  sign_ins_refused: "Sign-ins refused",
  plugin_refused: "Plugin fails",
  row_refused: "Refused",
  channel_not_connected: "Not connected",
  row_unreachable: "Cannot be reached",
  approval_waiting: "Waits for you",
  row_failing: "Failing",
  workflow_failed: "Failed",
  backup_late: "Late",
  backup_missing: "Missing",
  check_warning: "Check this",
  user_waiting: "Waiting",
  token_expiring: "Expires soon",
  row_needs_setup: "Needs setup",
  row_needs_review: "Needs review",
};

/** From these on, something is broken, or a person is held up. */
const harmBad = 72;
const harmWarn = 45;

function Line({ item: { kind, harm, subject, text, since, path } }: { item: AttentionItem }) {
  const tone = harm >= harmBad ? "bad" : harm >= harmWarn ? "warn" : "off";
  return (
    <li>
      <StateBadge tone={tone} text={names[kind]} />
      <PathLink path={path} className={styles.subject}>
        <bdi>{subject.name}</bdi>
      </PathLink>
      <span className={styles.reason}>{text}</span>
      <span className={styles.since}>{since !== null && <TimeAgo at={since} />}</span>
    </li>
  );
}
