import type { ConnectionPlan, MadeConnection } from "@hub/contract/connection-plan.ts";
import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { toIssues } from "../../api/to-issues.ts";
import { useChange } from "../../api/use-api.ts";
import { Badge } from "../../ui/badges/badge.tsx";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { Card } from "../../ui/page/card.tsx";
import { formatCount, formatNumber } from "../../ui/text/format.ts";
import { type Choice, PeopleField, splitChoices } from "../rows/access/people-field.tsx";
import styles from "./add-api.module.css";
import { AuthenticationFields, type TypedValues, toValues } from "./authentication-fields.tsx";
import { OperationChoice } from "./operation-choice.tsx";
import type { Read } from "./read-source.ts";
import { ServerChoice } from "./server-choice.tsx";

type Props = {
  read: Read;
  onRead: (read: Read) => void;
  onMade: (made: MadeConnection) => void;
};

/** What was found, and what of it becomes a connection. */
export function PlanForm({ read: { source, plan }, onRead, onMade }: Props) {
  const [label, setLabel] = useState(plan.title);
  const [servers, setServers] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState<TypedValues>({ at: 0, texts: {} });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(listReads(plan)));
  const [access, setAccess] = useState<readonly Choice[]>([]);
  const values = toValues(plan, typed);
  const make = useChange("POST /manager/api/connections", {
    refreshes: ["GET /manager/api/rows", "GET /manager/api/connectors"],
    onDone: onMade,
  });
  // An MCP server shows its tools only after authentication.
  const again = useChange("POST /manager/api/connections/plan", {
    refreshes: [],
    onDone: (answer) => onRead({ source, plan: answer }),
  });
  const isOAuth = values.auth_mode === "oauth";
  const isLocked = plan.needs_authentication && !isOAuth && values.auth_mode !== "none";
  const isApi = plan.kind === "openapi";
  const { tags, people } = splitChoices(access);
  const issues = make.error === null ? {} : toIssues(make.error);
  const body = { ...source, values, digest: plan.digest, label: label.trim() };
  const submit = () =>
    make.run({ body: { ...body, servers: [...servers], approve: [...chosen], tags, people } });
  return (
    <>
      <Card
        title={plan.title}
        icon={<ConnectorLogo connectorKey={plan.kind} name={plan.title} logo={plan.logo} />}
        actions={
          <span className={styles.kind}>
            <Badge>{isApi ? "API" : "MCP server"}</Badge>
            {plan.version !== "" && <span>{plan.version}</span>}
          </span>
        }
      >
        {plan.description !== "" && (
          <p className={styles.note}>
            <bdi>{plan.description}</bdi>
          </p>
        )}
        <div className={styles.columns}>
          <Stack gap="md">
            <TextInput
              label="Label"
              description="How people and clients recognize it among others."
              value={label}
              maxLength={100}
              error={issues.label ?? null}
              onChange={(event) => setLabel(event.currentTarget.value)}
            />
            <PeopleField
              label="Who may use it"
              description="People and tags. Without any, only admins. You can change it later."
              value={access}
              error={issues.tags ?? issues.people ?? null}
              onChange={setAccess}
            />
          </Stack>
          <Stack gap="md">
            {isApi && (
              <ServerChoice
                servers={plan.servers}
                chosen={servers}
                error={issues.servers ?? issues.base_url ?? null}
                onChoose={setServers}
              />
            )}
            <AuthenticationFields plan={plan} typed={typed} issues={issues} onChange={setTyped} />
          </Stack>
        </div>
      </Card>
      {plan.needs_authentication ? (
        <Alert color="blue" mb="md" title="The server asks for authentication">
          {isOAuth
            ? "Make the connection, then sign in at the server on its page. Its tools are discovered and approved there."
            : "Choose how the hub authenticates, then read the server's tools."}
        </Alert>
      ) : (
        <OperationChoice plan={plan} chosen={chosen} onChoose={setChosen} />
      )}
      {(make.error !== null || again.error !== null) && (
        <Alert color="red" role="alert" mb="md" title="Nothing was made">
          {(make.error ?? again.error)?.message}
        </Alert>
      )}
      <Group className={styles.bar}>
        {isLocked ? (
          <Button
            loading={again.isPending}
            onClick={() => again.run({ body: { ...source, values } })}
          >
            Read its tools
          </Button>
        ) : (
          <Button
            loading={make.isPending}
            disabled={label.trim() === "" || (isApi && servers.length === 0)}
            onClick={submit}
          >
            Make the connection
          </Button>
        )}
        <span role="status" className={styles.note}>
          {isApi && servers.length === 0
            ? "Tick a server first: calls go only there."
            : `${formatCount(chosen.size, "operation")} approved of ${formatNumber(plan.operations.length)}.`}
        </span>
      </Group>
    </>
  );
}

/** What is approved unless the admin chooses otherwise: what only reads, and has no warnings. */
function listReads({ operations }: ConnectionPlan): string[] {
  return operations
    .filter(({ destructive, warnings }) => !destructive && warnings.length === 0)
    .map(({ key }) => key);
}
