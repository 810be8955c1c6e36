import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/call-api.ts";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Badge } from "../../ui/badges/badge.tsx";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { NotFound } from "../../ui/page/not-found.tsx";
import { PageError } from "../../ui/page/page-error.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { Waiting } from "../../ui/page/waiting.tsx";
import { CardProgress, firstLine, PluginMenu } from "./connector-card.tsx";
import { ConnectorOperations } from "./connector-operations.tsx";
import styles from "./connectors.module.css";
import { NewRowButton } from "./new-row-button.tsx";
import { NoRowsOfConnector, TryHub } from "./no-rows-of-connector.tsx";
import { ConnectionTable } from "./table/connection-table.tsx";
import { ConnectionTableSkeleton } from "./table/connection-table-skeleton.tsx";
import { TypeSwitch } from "./type-switch.tsx";

type Connector = Answer<"GET /manager/api/connectors/{key}">;
type Plugin = Answer<"GET /manager/api/plugins">["plugins"][number];

/** What other admins change is seen after this time at the latest. */
const everyMs = 10_000;

/** A connector type: its rows, its operations, and its switch. */
export function ConnectorPage() {
  const { key } = useParams({ from: "/manager/connectors/$key" });
  const { found, failed } = useReadings(key);
  const frame = (children: ReactNode) => (
    <Page title={key} icon={unknownIcon(key)} parent={parent} lead={noLead}>
      {children}
    </Page>
  );
  if (failed.length > 0) {
    const onRetry = () => {
      for (const one of failed) void one.refetch();
    };
    const error = asApiError(failed[0]?.error);
    return frame(<PageError what="The connector" error={error} onRetry={onRetry} />);
  }
  if (found === null) {
    return frame(
      <Waiting what="The connector">
        <ConnectionTableSkeleton />
      </Waiting>,
    );
  }
  if (found.connector === null && found.plugin === null && found.rows === 0) {
    return (
      <NotFound parent={parent}>
        There is no such connector. It may have been uninstalled, or you have no access to its rows.
      </NotFound>
    );
  }
  return <FoundConnector connectorKey={key} {...found} />;
}

const parent = <Link to="/manager/connectors">Connections</Link>;

type Found = Known & {
  /** Those of a missing plugin wait for it. */
  rows: number;
};

/** What is known of a connector, null while it is read. The plugin may have been removed or disabled, also since the page was opened. */
function useReadings(key: string) {
  const all = useApi("GET /manager/api/connectors", {}, { everyMs });
  const isThere = all.data?.connectors.some((one) => one.key === key) === true;
  const one = useApi(
    "GET /manager/api/connectors/{key}",
    { params: { key } },
    { isOn: isThere, everyMs },
  );
  const plugins = useApi("GET /manager/api/plugins", {}, { everyMs });
  const failed = [all, one, plugins].filter(
    ({ data, error }) => data === undefined && error !== null,
  );
  const connector = isThere ? (one.data ?? null) : null;
  const isLoading = isThere && connector === null;
  if (isLoading || all.data === undefined || plugins.data === undefined) {
    return { failed, found: null };
  }
  const waiting = all.data.absent.find((absent) => absent.key === key)?.rows ?? 0;
  const plugin = plugins.data.plugins.find((installed) => installed.key === key) ?? null;
  const found: Found = { connector, plugin, rows: connector?.rows ?? waiting };
  return { failed, found };
}

type FoundProps = Found & { connectorKey: string };

function FoundConnector({ connectorKey: key, connector, plugin, rows }: FoundProps) {
  const { isAdmin } = useMe();
  const name = connector?.name ?? plugin?.name ?? key;
  const item = { key, name, plugin, rows };
  const none = <NoRowsOfConnector connector={connector} isAdmin={isAdmin} />;
  const below = (
    <>
      {key === "hub" && <TryHub />}
      {connector !== null && <ConnectorOperations key={key} operations={connector.operations} />}
    </>
  );
  return (
    <Page
      title={name}
      icon={
        <ConnectorLogo
          connectorKey={key}
          name={name}
          logo={connector?.logo ?? plugin?.logo ?? null}
        />
      }
      parent={parent}
      badge={<Kind connector={connector} plugin={plugin} />}
      lead={<bdi>{firstLine(connector?.description ?? plugin?.description ?? "")}</bdi>}
      actions={
        isAdmin && (
          <>
            {connector !== null && <TypeSwitch connector={connector} />}
            {connector?.made_from === null && rows > 0 && <NewRowButton of={key} />}
            {plugin !== null && <PluginMenu item={item} />}
          </>
        )
      }
    >
      <CardProgress item={item} />
      <State connector={connector} plugin={plugin} isAdmin={isAdmin} />
      {rows > 0 ? (
        <ConnectionTable connector={key} none={none} below={below} />
      ) : (
        <>
          {none}
          {below}
        </>
      )}
    </Page>
  );
}

/** As high as a line, so that the one that comes moves nothing. */
const noLead = "\u00a0";

function unknownIcon(key: string) {
  return <ConnectorLogo connectorKey={key} name={key} />;
}

type Known = { connector: Connector | null; plugin: Plugin | null };

function Kind({ connector, plugin }: Known) {
  return (
    <>
      <Badge>{connector?.tier === "builtin" ? "Built in" : "Plugin"}</Badge>{" "}
      {plugin?.version != null && <Badge>{plugin.version}</Badge>}{" "}
      {plugin?.form === "thin" && <Badge>Thin</Badge>}{" "}
      {(connector?.disabled_type === true || plugin?.enabled === false) && (
        <Badge tone="warn">Disabled</Badge>
      )}
    </>
  );
}

/** Why its rows cannot be called. */
function State(known: Known & { isAdmin: boolean }) {
  const text = describeState(known);
  if (text === null) return null;
  return (
    <div className={styles.notice} role="status">
      <p>{text}</p>
    </div>
  );
}

function describeState({
  connector,
  plugin,
  isAdmin,
}: Known & { isAdmin: boolean }): string | null {
  if (plugin?.enabled === false) return "The plugin is disabled. Its rows cannot be called.";
  if (plugin?.problem != null) return plugin.problem;
  if (connector === null) {
    // Other users do not get the connector of rows that they do not see.
    if (plugin !== null && !isAdmin) return null;
    return "This plugin is not installed. Its rows and their settings wait until it is installed again.";
  }
  if (connector.disabled_type) {
    return "This connector is disabled. Clients do not see its rows and operations.";
  }
  return null;
}
