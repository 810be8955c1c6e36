import { toClientSnippets } from "@hub/contract/client-snippets.ts";
import type { SetupProgress } from "@hub/contract/overview.ts";
import { Alert, Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/page/card.tsx";
import { Snippet } from "../../ui/page/snippet.tsx";
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
  const [client, setClient] = useState("Claude Code");
  const [token, setToken] = useState<string | null>(null);
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
        <TokenStep setup={setup} client={client} isMade={token !== null} onMade={setToken} />
        <ClientStep setup={setup} client={client} onClient={setClient} token={token} />
        <CallStep setup={setup} />
      </ol>
    </Card>
  );
}

type StepProps = { title: string; isDone: boolean; children: ReactNode };

function Step({ title, isDone, children }: StepProps) {
  return (
    <li data-done={isDone || undefined}>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

type TokenProps = {
  setup: SetupProgress;
  client: string;
  isMade: boolean;
  onMade: (token: string) => void;
};

function TokenStep({ setup, client, isMade, onMade }: TokenProps) {
  const create = useChange("POST /profile/api/tokens", {
    refreshes: ["GET /profile/api/tokens"],
    onDone: ({ token }) => onMade(token),
  });
  const body = { name: `${client}, first token`, expires_in_days: tokenDays };
  return (
    <Step title="Make a token" isDone={isMade || isConnected(setup)}>
      <p>{`The client shows it to the hub, so that the hub knows who calls. It expires after ${tokenDays} days.`}</p>
      {isMade ? (
        <p>It stands in the lines below, and is shown only now.</p>
      ) : (
        <Button loading={create.isPending} onClick={() => create.run({ body })}>
          Make a token
        </Button>
      )}
      {create.error !== null && (
        <Alert color="red" role="alert" mt="sm">
          {create.error.message}
        </Alert>
      )}
    </Step>
  );
}

type ClientProps = {
  setup: SetupProgress;
  client: string;
  onClient: (client: string) => void;
  token: string | null;
};

function ClientStep({ setup, client, onClient, token }: ClientProps) {
  const { mcpUrl } = useMe();
  const snippets = toClientSnippets(mcpUrl);
  const shown = snippets.find((one) => one.client === client) ?? snippets[0];
  const text = shown?.text.replaceAll("YOUR_TOKEN", token ?? "YOUR_TOKEN") ?? "";
  return (
    <Step title="Add the hub to your client" isDone={isConnected(setup)}>
      <p>{`Its address is ${mcpUrl}.`}</p>
      <NativeSelect
        aria-label="Client"
        w="fit-content"
        data={snippets.map((one) => one.client)}
        value={client}
        onChange={(event) => onClient(event.currentTarget.value)}
      />
      <p className={styles.place}>{`Put this ${toTarget(shown?.location ?? "")}:`}</p>
      <Snippet text={text} what="these lines" />
    </Step>
  );
}

function CallStep({ setup }: { setup: SetupProgress }) {
  const { isAdmin } = useMe();
  const hasCalled = setup.first_call_at !== null;
  return (
    <Step title="Ask your client to use an operation of the hub" isDone={hasCalled}>
      <p role="status">
        {hasCalled
          ? "The first call has arrived."
          : isConnected(setup)
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
    </Step>
  );
}

function isConnected({ first_call_at: calledAt, client_seen_at: seenAt }: SetupProgress): boolean {
  return calledAt !== null || seenAt !== null;
}

/** "in a terminal" stays; a file becomes "into FILE". */
function toTarget(location: string): string {
  return location.startsWith("in ") ? location : `into ${location}`;
}
