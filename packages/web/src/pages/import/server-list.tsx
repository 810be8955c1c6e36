import type { ImportPlan, PlannedServer } from "@hub/contract/server-import.ts";
import { Alert, Button, Checkbox, Group, Stack } from "@mantine/core";
import { useId, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { Badge } from "../../ui/badges/badge.tsx";
import { Card } from "../../ui/page/card.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { formatCount } from "../../ui/text/format.ts";
import { type Choice, PeopleField, splitChoices } from "../rows/access/people-field.tsx";
import styles from "./import.module.css";

type Props = {
  file: string;
  plan: ImportPlan;
  /** Indexes of the servers to import. */
  chosen: ReadonlySet<number>;
  onChoose: (chosen: ReadonlySet<number>) => void;
  isBusy: boolean;
  failure: ApiError | null;
  onMake: (servers: number[], access: { tags: string[]; people: string[] }) => void;
};

/** Each server of the file with what it would start or reach. The admin chooses. */
export function ServerList({ file, plan, chosen, onChoose, isBusy, failure, onMake }: Props) {
  const [access, setAccess] = useState<readonly Choice[]>([]);
  const { servers, may_start_programs: mayStartPrograms } = plan;
  const programs = servers.filter((one) => one.starts_program);
  const remote = servers.filter((one) => one.problem === null && !one.starts_program);
  const starting = programs.filter(({ index }) => chosen.has(index)).length;
  const toggle = (index: number) => {
    const next = new Set(chosen);
    if (!next.delete(index)) next.add(index);
    onChoose(next);
  };
  return (
    <Card title={file === typedName ? "Servers in the text" : `Servers in ${file}`}>
      {servers.length === 0 ? (
        <EmptyState icon="search" title="The file has no servers">
          Its list of MCP servers is empty.
        </EmptyState>
      ) : (
        <Stack gap="md">
          {programs.length > 0 &&
            (mayStartPrograms ? (
              <Alert color="yellow" title="Programs on the hub's machine">
                A server that starts a program runs it with the rights of the hub's account. No
                signature covers it. Take only those whose command you know.
              </Alert>
            ) : (
              <Alert color="yellow" title="This hub starts no programs">
                HUB_BRIDGE_STDIO does not allow it, so servers that start a program cannot be
                imported. Use the address of the same server, if it has one.
              </Alert>
            ))}
          {remote.length > 1 && (
            <div>
              <Button
                size="xs"
                variant="default"
                onClick={() => onChoose(new Set([...chosen, ...remote.map(({ index }) => index)]))}
              >
                {`Choose the ${remote.length} that start no program`}
              </Button>
            </div>
          )}
          <ul className={styles.servers} aria-label="Servers">
            {servers.map((server) => (
              <Server
                key={server.index}
                server={server}
                isChosen={chosen.has(server.index)}
                onToggle={() => toggle(server.index)}
              />
            ))}
          </ul>
          <div className={styles.tags}>
            <PeopleField
              label="Who may use the new rows"
              description="People and tags. Without any, only admins. You can change it later."
              value={access}
              onChange={setAccess}
            />
          </div>
          <Failure of={failure} />
          <Group>
            <Button
              loading={isBusy}
              disabled={chosen.size === 0}
              onClick={() =>
                onMake(
                  [...chosen].sort((a, b) => a - b),
                  splitChoices(access),
                )
              }
            >
              {toAction(chosen.size, starting)}
            </Button>
          </Group>
        </Stack>
      )}
    </Card>
  );
}

function toAction(rows: number, programs: number): string {
  if (rows === 0) return "Make rows";
  const made = `Make ${formatCount(rows, "row")}`;
  if (programs === 0) return made;
  return `${made}, ${programs === 1 ? "1 starts a program" : `${programs} start programs`}`;
}

/** What messages call a text that was typed. */
export const typedName = "The text";

const transports = { http: "HTTP", sse: "HTTP+SSE", stdio: "Program" } as const;

type ServerProps = { server: PlannedServer; isChosen: boolean; onToggle: () => void };

function Server({ server, isChosen, onToggle }: ServerProps) {
  const { label, folder, transport, target, secrets, missing, problem } = server;
  const id = useId();
  return (
    <li className={styles.server}>
      <Checkbox
        className={styles.tick ?? ""}
        aria-label={`Import ${label}`}
        aria-describedby={id}
        checked={isChosen}
        disabled={problem !== null}
        onChange={onToggle}
      />
      <div className={styles.about} id={id}>
        <div className={styles.names}>
          <strong>
            <bdi>{label}</bdi>
          </strong>
          {transport !== null && <Badge>{transports[transport]}</Badge>}
        </div>
        {target !== null && (
          <p className={styles.fact}>
            {transport === "stdio" ? "Starts " : "Connects to "}
            <code>{target}</code>
          </p>
        )}
        {folder !== null && (
          <p className={styles.fact}>
            {"Of the folder "}
            <code>{folder}</code>
          </p>
        )}
        {secrets.length > 0 && (
          <p className={styles.fact}>
            {"Kept as secrets: "}
            <code>{secrets.join(", ")}</code>
          </p>
        )}
        {missing.length > 0 && (
          <p className={styles.fact}>
            {"To fill in after the import: "}
            <code>{missing.join(", ")}</code>
          </p>
        )}
        {problem !== null && <p className={styles.bad}>{problem}</p>}
      </div>
    </li>
  );
}
