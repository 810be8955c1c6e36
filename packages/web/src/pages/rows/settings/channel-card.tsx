import type { ChannelUses } from "@hub/contract/channel.ts";
import { slugCharsMax } from "@hub/contract/channel.ts";
import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useApi, useChange } from "../../../api/use-api.ts";
import { StateBadge } from "../../../ui/badges/state-badge.tsx";
import { CopyButton } from "../../../ui/controls/copy-button.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { Properties } from "../../../ui/page/properties.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { channelStates } from "../../../workflow-parts/channel-state-names.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";

const everyMs = 5_000;

const failures = {
  again: ". Not stored for all workflows; the platform delivers it again.",
  unreadable: ". The hub does not know its form. See the log.",
  given_up: ". Not stored for all workflows, and given up after three failures. See the log.",
};

const useChannel = (row: ShownRow) =>
  useApi("GET /manager/api/rows/{row}/channel", { params: { row: row.id } }, { everyMs });

/** The connection of a channel. */
export function ChannelConnection({ row }: { row: ShownRow }) {
  const channel = useChannel(row);
  return (
    <Card title="Connection">
      <Loaded of={channel} what="The connection" skeleton={<PageSkeleton lines={2} />}>
        {({ state, reason, changed_at: at, account, storing_failure: failure }) => (
          <>
            {failure !== null && (
              <Alert color="red" mb="md" title="Events are not stored now">
                {failure} The platform delivers them again.
              </Alert>
            )}
            {state === "failed" && (
              <Alert color="red" mb="md" title="The platform refuses this channel">
                {reason ?? "The platform gave no reason."} The hub tries again every 15 minutes, and
                at once when you save other settings.
              </Alert>
            )}
            <Properties
              items={[
                [
                  "State",
                  <span key="state" role="status">
                    <StateBadge {...channelStates[state]} />
                  </span>,
                ],
                ["Since", at !== null && <TimeAgo at={at} />],
                [
                  "Reason",
                  state === "connecting" && reason !== null && `${reason} It is tried again.`,
                ],
                ["Hint", state === "stopped" && "No server of the hub holds this connection now."],
                ["Bot", account !== null && <bdi>{account.user_name ?? account.user_id}</bdi>],
                ["Workspace", account?.team_name && <bdi>{account.team_name}</bdi>],
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** What workflows and the platform know of a channel, and what it has received. */
export function ChannelDetails({ row }: { row: ShownRow }) {
  const channel = useChannel(row);
  if (channel.data === undefined) return null;
  const { request_url: url, events, recent } = channel.data;
  return (
    <>
      <SlugCard row={row} />
      <Card title="Events of the channel">
        {url !== null && (
          <>
            <p className={styles.lead}>
              The platform sends events by HTTP requests to this address:
            </p>
            <p className={styles.address}>
              <code>{url}</code>
              <CopyButton text={url} what="the address" />
            </p>
          </>
        )}
        <Properties
          hasLongNames
          items={events.map(({ id, description }) => [id, description] as const)}
        />
        <h3 className={styles.part}>Last deliveries</h3>
        {recent.length === 0 ? (
          <p>The channel has received nothing yet.</p>
        ) : (
          <ul className={styles.changes}>
            {recent.map(({ at, events: received, runs, failure }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: deliveries have no id.
              <li key={`${at} ${index}`}>
                {received.join(", ") || "No event of the hub"}
                {`, ${runs === 1 ? "1 run" : `${formatNumber(runs)} runs`}, `}
                <TimeAgo at={at} />
                {failure !== null && failures[failure]}
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}

function SlugCard({ row }: { row: ShownRow }) {
  const [slug, setSlug] = useState<string | null>(null);
  const toast = useToast();
  const uses = useApi("GET /manager/api/rows/{row}/channel/workflows", { params: { row: row.id } });
  const change = useChange("PUT /manager/api/rows/{row}/slug", {
    refreshes: [
      "GET /manager/api/rows/{row}",
      "GET /manager/api/rows/{row}/channel",
      "GET /manager/api/rows/{row}/channel/workflows",
    ],
    onDone({ slug: saved }) {
      setSlug(null);
      toast({ text: `The slug is ${saved}.` });
    },
  });
  const issues = change.error === null ? {} : toIssues(change.error);
  const isChanged = slug !== null && slug !== row.slug;
  const left = change.data?.still_named_in;
  return (
    <Card title="In workflows">
      <Stack gap="md" align="flex-start">
        <TextInput
          label="Slug"
          description="Triggers, nodes and the address for requests name the channel by it."
          value={slug ?? row.slug ?? ""}
          error={issues.slug ?? null}
          maxLength={slugCharsMax}
          spellCheck={false}
          onChange={(event) => setSlug(event.currentTarget.value)}
        />
        {isChanged && uses.data !== undefined && <SlugWarning slug={row.slug} uses={uses.data} />}
        {change.error !== null && issues.slug === undefined && (
          <p role="alert">{change.error.message}</p>
        )}
        <Button
          variant="default"
          disabled={!isChanged}
          loading={change.isPending}
          onClick={() => change.run({ params: { row: row.id }, body: { slug: slug ?? "" } })}
        >
          Save slug
        </Button>
        {left !== undefined && left.workflows.length > 0 && (
          <Alert color="yellow" role="alert" title="These workflows name the former slug">
            <p>They no longer find the channel. Change them too.</p>
            <UseList uses={left} slug={null} />
          </Alert>
        )}
        <Loaded of={uses} what="The workflows" skeleton={<PageSkeleton lines={2} />}>
          {(found) =>
            found.workflows.length === 0 && !found.is_cut ? (
              <p>No workflow names this channel.</p>
            ) : (
              <UseList uses={found} slug={row.slug ?? null} />
            )
          }
        </Loaded>
      </Stack>
    </Card>
  );
}

function SlugWarning({ slug, uses }: { slug: string | undefined; uses: ChannelUses }) {
  const { length } = uses.workflows.filter(({ places }) =>
    places.some((one) => one.named === slug),
  );
  if (length === 0) return null;
  const subject = length === 1 ? "One workflow names" : `${formatNumber(length)} workflows name`;
  return (
    <Alert color="yellow" role="alert">
      {`${subject} the slug ${slug} and will no longer find this channel. Change its triggers and nodes too.`}
    </Alert>
  );
}

/** `slug` is not repeated with each place. */
function UseList({ uses, slug }: { uses: ChannelUses; slug: string | null }) {
  return (
    <>
      <ul className={styles.changes}>
        {uses.workflows.map(({ id, name, places, places_more: more }) => (
          <li key={id}>
            <Link to="/workflows/$workflow" params={{ workflow: id }}>
              <bdi>{name}</bdi>
            </Link>
            {places.map(({ type, id: item, named, bodies }) => (
              <Fragment key={`${type} ${item} ${named}`}>
                {`, ${type} `}
                <bdi>{item}</bdi>
                {bodies.includes("published") ? "" : " of the draft"}
                {bodies.includes("draft") ? "" : " of the published version"}
                {slug !== null && named !== slug && ` by the name ${named}`}
              </Fragment>
            ))}
            {more > 0 && `, ${formatNumber(more)} more`}
          </li>
        ))}
      </ul>
      {uses.is_cut && <p>Further workflows may name it: not all were searched.</p>}
    </>
  );
}
