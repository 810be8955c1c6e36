import type { AttentionItem, AttentionKind } from "@hub/contract/attention.ts";
import type { IconName } from "@hub/contract/icons.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { usePages } from "../../api/use-api.ts";
import { IconBadge } from "../../ui/badges/icon-badge.tsx";
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

const looks: Record<AttentionKind, { icon: IconName; text: string }> = {
  database_damaged: { icon: "database", text: "Damaged" },
  check_failed: { icon: "health", text: "Fails" },
  disk_low: { icon: "database", text: "Disk low" },
  sign_ins_refused: { icon: "lock", text: "Sign-ins refused" },
  plugin_refused: { icon: "bug", text: "Plugin fails" },
  row_refused: { icon: "lock", text: "Refused" },
  channel_not_connected: { icon: "cloudOff", text: "Not connected" },
  row_unreachable: { icon: "cloudOff", text: "Cannot be reached" },
  approval_waiting: { icon: "clock", text: "Waits for you" },
  row_failing: { icon: "warning", text: "Failing" },
  workflow_failed: { icon: "workflow", text: "Failed" },
  backup_late: { icon: "clock", text: "Late" },
  backup_missing: { icon: "database", text: "Missing" },
  check_warning: { icon: "health", text: "Check this" },
  user_waiting: { icon: "user", text: "Waiting" },
  token_expiring: { icon: "key", text: "Expires soon" },
  row_needs_setup: { icon: "settings", text: "Needs setup" },
  row_needs_review: { icon: "eye", text: "Needs review" },
};

/** From these on, something is broken, or a person is held up. */
const harmBad = 72;
const harmWarn = 45;

function Line({ item: { kind, harm, subject, text, since, path } }: { item: AttentionItem }) {
  const tone = harm >= harmBad ? "bad" : harm >= harmWarn ? "warn" : "off";
  const { icon, text: name } = looks[kind];
  return (
    <li>
      <IconBadge icon={icon} tone={tone}>
        {name}
      </IconBadge>
      <PathLink path={path} className={styles.subject}>
        <bdi>{subject.name}</bdi>
      </PathLink>
      <span className={styles.reason}>{text}</span>
      <span className={styles.since}>{since !== null && <TimeAgo at={since} />}</span>
    </li>
  );
}
