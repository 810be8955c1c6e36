import type { DocumentServer } from "@hub/contract/row-discovery.ts";
import { Button } from "@mantine/core";
import { useChange } from "../../../api/use-api.ts";
import { findText, listFields, type } from "../../../form/field-form.ts";
import { parseTable, writeTable } from "../../../form/table-value.ts";
import { Badge } from "../../../ui/badges/badge.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import styles from "../operations/review.module.css";
import type { ShownRow } from "../shown-row.ts";
import type { RowForm } from "./use-row-form.ts";

/** The servers that the row's document names. None is used before the admin chooses it here. */
export function ServersCard({ row, form }: { row: ShownRow; form: RowForm }) {
  const find = useChange("POST /manager/api/rows/{row}/servers", { refreshes: [] });
  const fields = listFields(form.settings?.groups ?? []);
  const base = fields.find(({ key }) => key === "base_url");
  const others = fields.find(({ key }) => key === "other_servers");
  const document = fields.find(({ key }) => key === "document_url");
  if (base === undefined || others === undefined) return null;
  const isReady = (document?.value ?? "") !== "";
  const admitted = parseTable(findText(others, form.draft), others.columns);
  const toUse = ({ address }: DocumentServer) => {
    if (address === null) return null;
    const isBase = findText(base, form.draft) === address;
    const isAdmitted = admitted.some(({ url }) => url === address);
    if (isBase || isAdmitted) return <Badge>{isBase ? "Base URL" : "Admitted"}</Badge>;
    return (
      <>
        <Button
          size="xs"
          variant="default"
          aria-label={`Use as base URL: ${address}`}
          onClick={() => form.onDraft((draft) => type(draft, base, address))}
        >
          Use as base URL
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-label={`Admit ${address}`}
          onClick={() => {
            const text = writeTable([...admitted, { url: address }], others.columns);
            form.onDraft((draft) => type(draft, others, text));
            form.host.save?.(others, text);
          }}
        >
          Admit
        </Button>
      </>
    );
  };
  return (
    <Card
      title="Servers of the document"
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="search" />}
          loading={find.isPending}
          disabled={!isReady}
          onClick={() => find.run({ params: { row: row.id }, body: {} })}
        >
          Find servers
        </Button>
      }
    >
      <p className={styles.lead}>
        {isReady
          ? "The document names servers. Calls, with the row's credentials, go only to those that you choose."
          : "Save the address of the document first. It names servers, of which you choose."}
      </p>
      <Failure of={find.error} />
      {find.data !== undefined && !find.isPending && (
        <>
          {find.data.servers.length === 0 && <p role="status">The document names no servers.</p>}
          <ul className={styles.items} aria-label="Servers of the document">
            {find.data.servers.map((server) => (
              <li key={server.url} className={styles.item}>
                <div className={styles.head}>
                  <div className={styles.names}>
                    <code>{server.address ?? server.url}</code>
                    {!server.shared && <Badge>Of some operations</Badge>}
                    {server.address === null && <span>It is not a whole address.</span>}
                  </div>
                  <div className={styles.buttons}>{toUse(server)}</div>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
