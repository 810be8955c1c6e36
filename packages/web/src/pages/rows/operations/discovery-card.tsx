import type { DiscoveryReport, RowDiscovery } from "@hub/contract/row-discovery.ts";
import { Alert, Button, FileButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Icon } from "../../../ui/controls/icon.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { ProgramOutput } from "../../../ui/page/program-output.tsx";
import { formatCount, formatNumber } from "../../../ui/text/format.ts";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { useConnector } from "../row-crumbs.tsx";
import type { ShownRow } from "../shown-row.ts";
import { LeftOut } from "./left-out.tsx";
import styles from "./review.module.css";
import { type Discovery, discoverId, useDiscovery } from "./use-discovery.ts";

type Props = {
  row: ShownRow;
  /** Whether a link leads to the review, which is not on the same page. */
  hasLink?: boolean;
  /** Whether typed settings are not saved. */
  hasUnsaved?: boolean;
};

/** When the operations of a row were discovered and with what outcome, and a way to do it again. */
export function DiscoveryCard({ row, hasLink = false, hasUnsaved = false }: Props) {
  const { name } = useConnector(row.connector);
  const discovery = useDiscovery(row);
  const { review, discover, refusal } = discovery;
  const isMissing = row.missing === null || row.missing.length > 0;
  const failure = refusal ?? discover.error?.message ?? review.data?.failure ?? null;
  return (
    <Card
      title={`Operations from ${name}`}
      actions={
        <DiscoverButtons row={row} discovery={discovery} isMissing={isMissing} hasLink={hasLink} />
      }
    >
      {discover.isPending && row.connector === "mcp" && (
        <p className={styles.lead} role="status">
          The hub asks the server. If the row starts a program, the first start can take up to two
          minutes, such as that of a package that npx downloads.
        </p>
      )}
      <Loaded of={review} what="The discovery" skeleton={<PageSkeleton lines={2} />}>
        {(found) => (
          <>
            {failure !== null && !discover.isPending && (
              <DiscoveryFailed
                failure={failure}
                discovery={discovery}
                isFirst={found.discovered_at === null}
              />
            )}
            {(failure === null || found.discovered_at !== null) && (
              <State row={row} found={found} isMissing={isMissing} hasLink={hasLink} />
            )}
            {hasUnsaved && (
              <p className={styles.lead}>
                A discovery uses the saved settings. Save what you typed first.
              </p>
            )}
            {discover.data !== undefined && !discover.isPending && (
              <p className={styles.outcome} role="status">
                <Icon name="check" />
                {describeOutcome(discover.data)}
              </p>
            )}
            {found.left_out_total > 0 && <LeftOut row={row.id} total={found.left_out_total} />}
          </>
        )}
      </Loaded>
    </Card>
  );
}

type ButtonsProps = { row: ShownRow; discovery: Discovery; isMissing: boolean; hasLink: boolean };

function DiscoverButtons({ row, discovery, isMissing, hasLink }: ButtonsProps) {
  const { discover } = discovery;
  const isFirst = !hasLink && discovery.review.data?.discovered_at === null;
  return (
    <div className={styles.buttons}>
      {row.connector === "openapi" && (
        <FileButton
          accept=".json,.yaml,.yml,application/json,application/yaml"
          onChange={(file) => void discovery.readFile(file)}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              disabled={isMissing || discover.isPending}
              leftSection={<Icon name="file" />}
            >
              Discover from a file
            </Button>
          )}
        </FileButton>
      )}
      <Button
        id={discoverId}
        // Later the review has the filled button, and among the settings others have it.
        variant={isFirst ? "filled" : "default"}
        leftSection={<Icon name="refresh" />}
        loading={discover.isPending}
        disabled={isMissing}
        onClick={discovery.ask}
      >
        Discover
      </Button>
    </div>
  );
}

type FailedProps = {
  failure: string;
  discovery: Discovery;
  /** Whether no discovery has succeeded yet. */
  isFirst: boolean;
};

function DiscoveryFailed({ failure, discovery, isFirst }: FailedProps) {
  const { error } = discovery.discover;
  // Otherwise the browser could not read the file.
  const isAsked = discovery.refusal === null;
  return (
    <Alert color="red" role="alert" mb="sm" title="The discovery failed">
      <bdi>{failure}</bdi>
      {isAsked && <ProgramOutput of={error?.detail} />}
      {isAsked && (
        <p className={styles.advice}>
          {isFirst
            ? "Check the settings of the row, then press Discover again."
            : "The operations stay as they were. Check the settings of the row, then press Discover again."}
        </p>
      )}
    </Alert>
  );
}

type StateProps = { row: ShownRow; found: RowDiscovery; isMissing: boolean; hasLink: boolean };

function State({ row, found, isMissing, hasLink }: StateProps) {
  const { discovered_at: at, operations, waiting } = found;
  if (at === null) {
    const first = "This row gets its operations from the outside system.";
    return (
      <Alert color="blue" mb="sm" title="Nothing is discovered yet">
        {isMissing
          ? `${first} Set what is missing in the settings, then press Discover.`
          : `${first} Press Discover to read them. Then you approve what clients may call.`}
      </Alert>
    );
  }
  return (
    <p className={styles.facts}>
      {"Discovered "}
      <TimeAgo at={at} />
      {`: ${formatCount(operations, "operation")}, `}
      {waiting === 0 ? "none waits for a review." : <strong>{toWaiting(waiting)}</strong>}
      {waiting > 0 && hasLink && (
        <>
          {" "}
          <Link
            to="/manager/connectors/$key/$row"
            params={{ key: row.connector, row: row.id }}
            search={{ tab: "operations" }}
          >
            Review
          </Link>
        </>
      )}
    </p>
  );
}

function toWaiting(waiting: number): string {
  return waiting === 1 ? "1 waits for a review." : `${formatNumber(waiting)} wait for a review.`;
}

/** An answer names this many operations of each kind. */
const namedMax = 100;

function describeOutcome({ added, changed, gone }: DiscoveryReport): string {
  const kinds = [
    { keys: added, word: "new" },
    { keys: changed, word: "changed" },
    { keys: gone, word: "gone" },
  ].filter(({ keys }) => keys.length > 0);
  if (kinds.length === 0) return "Nothing has changed since the last discovery.";
  const texts = kinds.map(({ keys, word }) => {
    const number = keys.length < namedMax ? String(keys.length) : `${namedMax} or more`;
    return `${number} ${word}`;
  });
  return `The discovery is done: ${texts.join(", ")}.`;
}
