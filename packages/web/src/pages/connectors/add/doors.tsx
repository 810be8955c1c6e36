import type { IconName } from "@hub/contract/icons.ts";
import { ConnectorLogo } from "../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { PathLink } from "../../../ui/controls/path-link.tsx";
import { catalogSearchId } from "../catalog/catalog-filter-bar.tsx";
import styles from "./doors.module.css";

type Door = { title: string; text: string; icon: IconName; of?: { key: string; name: string } };

const doors: ReadonlyArray<Door & { path: string }> = [
  {
    title: "An API or an MCP server",
    text: "Paste the address of its OpenAPI document, or of the server. The hub reads which operations it has.",
    icon: "globe",
    of: { key: "openapi", name: "OpenAPI" },
    path: "/manager/add/api",
  },
  {
    title: "MCP servers of a client",
    text: "Paste or drop the mcpServers file of a client. Each server becomes a connection.",
    icon: "file",
    of: { key: "mcp", name: "MCP" },
    path: "/manager/import",
  },
];

/** The three ways to a connection. */
export function Doors() {
  const toCatalog = () => {
    const field = document.getElementById(catalogSearchId);
    field?.scrollIntoView({ block: "center" });
    field?.focus({ preventScroll: true });
  };
  return (
    <ul className={styles.doors} aria-label="Ways to add a connection">
      {doors.map(({ path, ...door }) => (
        <li key={path}>
          <PathLink className={styles.door} path={path}>
            <Content {...door} />
          </PathLink>
        </li>
      ))}
      <li>
        <button type="button" className={styles.door} onClick={toCatalog}>
          <Content
            title="From the catalog"
            text="Choose a connector that this hub has, or download one."
            icon="connectors"
          />
        </button>
      </li>
    </ul>
  );
}

function Content({ title, text, icon, of }: Door) {
  return (
    <>
      {of === undefined ? (
        <span className={styles.icon}>
          <Icon name={icon} />
        </span>
      ) : (
        <ConnectorLogo connectorKey={of.key} name={of.name} />
      )}
      <span className={styles.words}>
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
    </>
  );
}
