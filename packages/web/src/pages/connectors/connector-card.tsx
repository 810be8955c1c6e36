import { Button, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { Badge } from "../../ui/badges/badge.tsx";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { formatCount } from "../../ui/text/format.ts";
import type { CatalogItem } from "./catalog/catalog-items.ts";
import { nameCategory } from "./catalog/categories.ts";
import styles from "./connector-card.module.css";
import { NewRowButton } from "./new-row-button.tsx";
import { PluginProgress } from "./plugins/plugin-progress.tsx";
import { setPluginWork, usePluginWork } from "./plugins/plugin-work.ts";
import { UninstallDialog } from "./plugins/uninstall-dialog.tsx";
import { usePluginActions } from "./plugins/use-plugin-actions.ts";

type Props = { item: CatalogItem; isAdmin: boolean };

/** A connector type with its state, and what can be done with its plugin. */
export function ConnectorCard({ item, isAdmin }: Props) {
  const { key, name, description, plugin, offer } = item;
  const nameId = useId();
  const hasPage = item.isInstalled || item.rows > 0;
  return (
    <article className={styles.card} aria-labelledby={nameId} data-connector={key}>
      <div className={styles.head}>
        <ConnectorLogo connectorKey={key} name={name} logo={item.logo} />
        <div>
          <h3 className={styles.name} id={nameId} title={name}>
            {hasPage ? (
              <Link className={styles.link} to="/manager/connectors/$key" params={{ key }}>
                <bdi>{name}</bdi>
              </Link>
            ) : (
              <bdi>{name}</bdi>
            )}
          </h3>
          <p className={styles.kind}>{toKind(item)}</p>
        </div>
        {plugin !== null && isAdmin && <PluginMenu item={item} />}
      </div>
      <p className={styles.description}>
        <bdi>{firstLine(description) || "No description."}</bdi>
      </p>
      {plugin?.problem != null && <p className={styles.problem}>{plugin.problem}</p>}
      {plugin?.note != null && <p className={styles.problem}>{plugin.note}</p>}
      <div className={styles.foot}>
        <Facts item={item} />
        {plugin === null && offer !== null && <Download item={item} isAdmin={isAdmin} />}
        {isAdmin && item.connector?.made_from === null && (
          <NewRowButton of={key} size="xs" variant="default" className={styles.action} />
        )}
        {isAdmin && plugin !== null && offer?.update_available === true && <Update item={item} />}
      </div>
      <CardProgress item={item} />
    </article>
  );
}

function Facts({ item }: { item: CatalogItem }) {
  const { connector, rows, isDisabled, isInstalled, offer } = item;
  return (
    <div className={styles.facts}>
      {isDisabled && <Badge>Disabled</Badge>}
      {!isInstalled && offer === null && <Badge>Not installed</Badge>}
      {connector !== null && (
        <span>
          {connector.operations_by_row || connector.made_from !== null
            ? "Operations by row"
            : formatCount(connector.operation_count, "operation")}
        </span>
      )}
      {(isInstalled || rows > 0) && (
        <span>
          {isInstalled ? formatCount(rows, "row") : `${formatCount(rows, "row")} waiting for it`}
        </span>
      )}
    </div>
  );
}

/** The reason stands beside a disabled Download. */
function Download({ item: { key, name, offer }, isAdmin }: Props) {
  const actions = usePluginActions();
  const isBusy = usePluginWork(key)?.state === "running";
  const noteId = useId();
  const reason = isAdmin ? offer?.unavailable_reason : "Requires admin";
  return (
    <>
      <Button
        className={styles.action ?? ""}
        size="xs"
        variant="light"
        leftSection={<Icon name="download" />}
        aria-label={`Download ${name}`}
        disabled={reason != null}
        loading={isBusy}
        onClick={() => void actions.download(key, key)}
        {...(reason != null && { "aria-describedby": noteId, title: reason })}
      >
        Download
      </Button>
      {reason != null && (
        <span id={noteId} data-reason>
          {reason}
        </span>
      )}
    </>
  );
}

function Update({ item: { key, name, offer } }: { item: CatalogItem }) {
  const actions = usePluginActions();
  const isBusy = usePluginWork(key)?.state === "running";
  const isUnavailable = offer?.unavailable_reason != null;
  return (
    <Button
      className={styles.action ?? ""}
      size="xs"
      variant="light"
      leftSection={<Icon name="refresh" />}
      aria-label={`Update ${name} to ${offer?.version ?? ""}`}
      disabled={isUnavailable}
      loading={isBusy}
      onClick={() => void actions.update(key)}
    >
      {isUnavailable ? "No build for this machine" : `Update to ${offer?.version ?? ""}`}
    </Button>
  );
}

/** Disable, Enable and Uninstall, for admins. */
export function PluginMenu({
  item,
}: {
  item: Pick<CatalogItem, "key" | "name" | "plugin" | "rows">;
}) {
  const { key, name, plugin } = item;
  const actions = usePluginActions();
  const [isAsking, setAsking] = useState(false);
  const isEnabled = plugin?.enabled === true;
  const change = isEnabled ? actions.disable : actions.enable;
  return (
    <div className={styles.menu}>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <IconButton icon="dots" label={`Actions for ${name}`} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Icon name={isEnabled ? "stop" : "play"} />}
            onClick={() => void change(key, name)}
          >
            {isEnabled ? "Disable" : "Enable"}
          </Menu.Item>
          <Menu.Item
            color="var(--bad)"
            leftSection={<Icon name="trash" />}
            onClick={() => setAsking(true)}
          >
            Uninstall plugin
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <UninstallDialog item={item} isOpen={isAsking} onClose={() => setAsking(false)} />
    </div>
  );
}

/** How the action on this plugin goes, and what repairs a refusal. */
export function CardProgress({ item: { key } }: { item: Pick<CatalogItem, "key"> }) {
  const work = usePluginWork(key);
  const actions = usePluginActions();
  const isOtherSource = work?.state === "failed" && work.error.detail.check === "source";
  const allowed = { replace: true };
  return (
    <PluginProgress
      work={work}
      onHide={() => setPluginWork(key, null)}
      repairs={
        isOtherSource && (
          <Button
            size="xs"
            variant="danger"
            className={styles.action ?? ""}
            onClick={() =>
              void (work.action === "Update"
                ? actions.update(key, allowed)
                : actions.download(key, key, allowed))
            }
          >
            Trust it and replace
          </Button>
        )
      }
    />
  );
}

function toKind(item: CatalogItem): string {
  const { category } = item;
  return category === "other" ? toForm(item) : `${toForm(item)} · ${nameCategory(category)}`;
}

function toForm({ tier, plugin, offer }: CatalogItem): string {
  if (tier === "builtin") return "Built in";
  const version = plugin === null ? offer?.version : plugin.version;
  if (version == null) return "Plugin";
  const form = plugin === null ? offer?.form : plugin.form;
  return form === "thin" ? `Thin plugin · ${version}` : `Plugin · ${version}`;
}

export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}
