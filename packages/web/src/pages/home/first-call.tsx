import { toClientSnippets } from "@hub/contract/client-snippets.ts";
import { Alert, Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { Card } from "../../ui/page/card.tsx";
import styles from "./home.module.css";

const everyMs = 3000;

/** Whether a client has used a token of this user, or an application was allowed. */
function useIsConnected(isOn: boolean): boolean {
  const [isConnected, setConnected] = useState(false);
  const watch = { everyMs, isOn: isOn && !isConnected };
  const tokens = useApi("GET /profile/api/tokens", {}, watch);
  const applications = useApi("GET /profile/api/applications", {}, watch);
  const isUsed =
    tokens.data?.tokens.some(({ last_used_at: at }) => at !== null) === true ||
    applications.data?.applications.some(({ last_used_at: at }) => at !== null) === true;
  if (isUsed && !isConnected) setConnected(true);
  return isConnected;
}

/** Three steps to the first call, until a client has called something for this user. */
export function FirstCall() {
  const query = { source: "mcp", limit: 1 } as const;
  const [isDone, setDone] = useState(false);
  const calls = useApi("GET /profile/api/runs", { query }, isDone ? {} : { everyMs });
  const hasCalled = calls.data !== undefined && calls.data.runs.length > 0;
  if (hasCalled && !isDone) setDone(true);
  // The steps stay until the page is opened again, so that the user sees the last one done.
  const [isNew, setNew] = useState<boolean | null>(null);
  if (isNew === null && calls.data !== undefined) setNew(!hasCalled);
  return isNew === true ? <Steps hasCalled={hasCalled} /> : null;
}

function Steps({ hasCalled }: { hasCalled: boolean }) {
  const { mcpUrl } = useMe();
  const isConnected = useIsConnected(!hasCalled) || hasCalled;
  const [client, setClient] = useState("Claude Code");
  const [token, setToken] = useState<string | null>(null);
  const create = useChange("POST /profile/api/tokens", {
    refreshes: ["GET /profile/api/tokens"],
    onDone: (answer) => setToken(answer.token),
  });
  const snippets = toClientSnippets(mcpUrl);
  const shown = snippets.find((one) => one.client === client) ?? snippets[0];
  const text = shown?.text.replaceAll("YOUR_TOKEN", token ?? "YOUR_TOKEN") ?? "";
  return (
    <Card title="Three steps to the first call">
      <ol className={styles.steps}>
        <li data-done={token === null ? undefined : true}>
          <div>
            <h3>Make a token</h3>
            <p>The client shows it to the hub, so that the hub knows who calls.</p>
            {token === null ? (
              <Button
                loading={create.isPending}
                onClick={() => create.run({ body: { name: `${client}, first token` } })}
              >
                Make a token
              </Button>
            ) : (
              <p>It stands in the lines below, and is shown only now.</p>
            )}
            {create.error !== null && (
              <Alert color="red" role="alert" mt="sm">
                {create.error.message}
              </Alert>
            )}
          </div>
        </li>
        <li data-done={isConnected ? true : undefined}>
          <div>
            <h3>Add the hub to your client</h3>
            <p>{`Its address is ${mcpUrl}.`}</p>
            <NativeSelect
              aria-label="Client"
              w="fit-content"
              data={snippets.map((one) => one.client)}
              value={client}
              onChange={(event) => setClient(event.currentTarget.value)}
            />
            <p className={styles.place}>{`Put this ${toTarget(shown?.location ?? "")}:`}</p>
            <div className={styles.snippet}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
              <pre tabIndex={0}>{text}</pre>
              <CopyButton text={text} what="these lines" />
            </div>
          </div>
        </li>
        <li data-done={hasCalled ? true : undefined}>
          <div>
            <h3>Ask your client to list the tools of the hub</h3>
            <p role="status">
              {hasCalled
                ? "The first call has arrived."
                : isConnected
                  ? "A client has connected. This page waits for its first call."
                  : "This page notices when a client connects, and its first call."}
            </p>
          </div>
        </li>
      </ol>
    </Card>
  );
}

/** "in a terminal" stays; a file becomes "into FILE". */
function toTarget(location: string): string {
  return location.startsWith("in ") ? location : `into ${location}`;
}
