import { Tabs } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type Draft, toParams } from "../../form/field-form.ts";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { DetailSkeleton } from "../../ui/page/detail-skeleton.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { useConnector } from "../rows/row-crumbs.tsx";
import { CallPanel } from "./call-panel.tsx";
import styles from "./callable.module.css";
import { type CallableTab, callableTabs } from "./callable-search.ts";
import { ClientCall } from "./client-call.tsx";
import { EffectBadge } from "./effect-badge.tsx";
import { ModelAnswer } from "./model-answer.tsx";
import { NotCallable } from "./not-callable.tsx";
import { type FoundOperation, useOperation } from "./use-operation.ts";

const address = "/operations/$row/$operation" as const;

/** One operation that the user can call: its inputs, a call, and what models and clients see. */
export function OperationPage() {
  const { row, operation } = useParams({ from: address });
  const { q } = useSearch({ from: address });
  const reading = useOperation(row, operation);
  const parent = (
    <Link to="/operations" search={q === undefined ? {} : { q }}>
      What I can call
    </Link>
  );
  return (
    <LoadedPage
      of={reading}
      what="The operation"
      title={operation}
      parent={parent}
      skeleton={<DetailSkeleton hasTabs cards={[6]} />}
    >
      {(found) => <Found key={`${row} ${operation}`} found={found} parent={parent} />}
    </LoadedPage>
  );
}

const tabNames: Record<CallableTab, string> = {
  call: "Call",
  model: "As a model sees it",
  client: "From a client",
};

function Found({ found, parent }: { found: FoundOperation; parent: ReactNode }) {
  const { row, operation, form } = found;
  const search = useSearch({ from: address });
  const { tab = "call" } = search;
  const navigate = useNavigate({ from: address });
  const connector = useConnector(row.connector);
  // Kept while another tab is open, whose lines for a client have what is typed.
  const [draft, setDraft] = useState<Draft>({});
  return (
    <Page
      title={operation.name}
      icon={<ConnectorLogo connectorKey={row.connector} name={row.label} logo={row.logo} />}
      parent={parent}
      badge={<EffectBadge {...operation} />}
      lead={
        <>
          {"Of the row "}
          <Link
            to="/manager/connectors/$key/$row"
            params={{ key: row.connector, row: row.id }}
            search={{ tab: "operations" }}
          >
            <bdi>{row.label}</bdi>
          </Link>
          {`, ${connector.name}`}
        </>
      }
    >
      {form.description !== "" && <p className={styles.about}>{form.description}</p>}
      <NotCallable row={row} operation={operation} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => {
          const chosen = callableTabs.find((one) => one === next) ?? "call";
          void navigate({ search: { ...search, tab: chosen }, replace: true });
        }}
      >
        <Tabs.List mb="md">
          {callableTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {tabNames[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="call">
          <CallPanel found={found} draft={draft} onDraft={setDraft} />
        </Tabs.Panel>
        <Tabs.Panel value="model">
          <ModelAnswer ask={{ tool_id: operation.tool_id }} />
        </Tabs.Panel>
        <Tabs.Panel value="client">
          <ClientCall
            row={row}
            operation={operation}
            params={toParams(form.groups, draft).params}
          />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
