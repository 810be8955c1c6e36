import { toClientSnippets } from "@hub/contract/client-snippets.ts";
import type { SetupProgress } from "@hub/contract/overview.ts";
import { Alert, Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { Card } from "../../ui/page/card.tsx";
import styles from "./home.module.css";

const everyMs = 3000;
const tokenDays = 90;
/** Where this browser keeps the id of the user who has put the steps away. */
const awayKey = "hub.steps.away";

/** How far the first call of a client is. It is asked again and again only while the steps are shown. */
export function useSetup() {
  const { user } = useMe();
  return useApi(
    "GET /profile/api/setup",
    {},
    {
      everyMs: (setup) =>
        setup?.first_call_at != null || isPutAway(user.id) ? undefined : everyMs,
    },
  );
}

function isPutAway(userId: string): boolean {
  return localStorage.getItem(awayKey) === userId;
}

/** Three steps to the first call, until a client has called an operation, or the user puts them away in this browser. */
export function FirstCall({ setup }: { setup: SetupProgress }) {
  const { user } = useMe();
  const hasCalled = setup.first_call_at !== null;
  // The steps stay until the page is opened again, so that the user sees the last one done.
  const [isShown, setShown] = useState(!hasCalled && !isPutAway(user.id));
  const putAway = () => {
    localStorage.setItem(awayKey, user.id);
    setShown(false);
  };
  return isShown ? <Steps setup={setup} onPutAway={putAway} /> : null;
}

type Props = { setup: SetupProgress; onPutAway: () => void };

function Steps({ setup, onPutAway }: Props) {
  const { mcpUrl, isAdmin } = useMe();
  const hasCalled = setup.first_call_at !== null;
  const isConnected = hasCalled || setup.client_seen_at !== null;
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
    <Card
      title="Three steps to the first call"
      actions={
        <Button
          variant="subtle"
          size="xs"
          title="Hides these steps in this browser. The page Connect has them too."
          onClick={onPutAway}
        >
          Put away
        </Button>
      }
    >
      <ol className={styles.steps}>
        <li data-done={token !== null || isConnected ? true : undefined}>
          <div>
            <h3>Make a token</h3>
            <p>{`The client shows it to the hub, so that the hub knows who calls. It expires after ${tokenDays} days.`}</p>
            {token === null ? (
              <Button
                loading={create.isPending}
                onClick={() =>
                  create.run({
                    body: { name: `${client}, first token`, expires_in_days: tokenDays },
                  })
                }
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
            <h3>Ask your client to use an operation of the hub</h3>
            <p role="status">
              {hasCalled
                ? "The first call has arrived."
                : isConnected
                  ? "A client has connected. This page waits for its first call of an operation that succeeds."
                  : "This page notices when a client connects, and its first call of an operation that succeeds."}
            </p>
            {setup.sees_rows ? (
              <p>
                <Link to="/operations">See the operations that it can call</Link>
              </p>
            ) : (
              <p>
                {"No connection is there for you to call yet. "}
                {isAdmin && <Link to="/manager/add">Add a connection</Link>}
              </p>
            )}
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
