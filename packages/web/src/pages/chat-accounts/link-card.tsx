import type { ChatLink } from "@hub/contract/chat-account.ts";
import { Button, Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { formatExact } from "../../ui/text/format.ts";
import styles from "./chat-accounts.module.css";
import { toAccountName, toPlatformName } from "./describe-account.ts";

/** While a code is shown, the person is in another window and comes back. */
const everyMs = 2_000;
const refreshes = ["GET /profile/api/chat-accounts"] as const;

/** The steps that link a chat account: the code, the answer in the chat, and the confirmation. */
export function LinkCard({ link }: { link: ChatLink | null }) {
  const [code, setCode] = useState<{ id: string; text: string } | null>(null);
  const toast = useToast();
  // Also after the page was loaded anew, in which the code is not shown again.
  useApi("GET /profile/api/chat-accounts", {}, { everyMs, isOn: link !== null });
  const begin = useChange("POST /profile/api/chat-accounts/links", {
    refreshes,
    onDone: ({ id, code: text }) => setCode({ id, text }),
  });
  const confirm = useChange("POST /profile/api/chat-accounts/links/{link}/confirm", {
    refreshes,
    onDone(account) {
      setCode(null);
      toast({ text: `${toAccountName(account)} is linked to you.` });
    },
  });
  const cancel = useChange("DELETE /profile/api/chat-accounts/links/{link}", {
    refreshes,
    onDone: () => setCode(null),
  });
  const isOver = link === null && code !== null && !begin.isPending && !confirm.isPending;
  return (
    <Card title="Link a chat account">
      <div role="status">
        {link === null && (
          <>
            {isOver && (
              <p>
                The code is no longer valid. It has expired, or the chat account has answered no.
              </p>
            )}
            <p className={styles.lead}>
              You get a code, send it to a bot of this hub as a direct message, and confirm on both
              sides.
            </p>
          </>
        )}
        {link !== null && link.claimed_by === null && (
          <ShowCode link={link} code={code?.id === link.id ? code.text : null} />
        )}
        {link?.claimed_by && <Claimant link={link} />}
      </div>
      <Group gap="sm">
        {(link === null || (link.claimed_by === null && code?.id !== link.id)) && (
          <Button loading={begin.isPending} onClick={() => begin.run()}>
            Make a code
          </Button>
        )}
        {link?.confirmed_in_chat && (
          <Button
            loading={confirm.isPending}
            onClick={() => confirm.run({ params: { link: link.id } })}
          >
            Link this account
          </Button>
        )}
        {link !== null && (
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.run({ params: { link: link.id } })}
          >
            {link.claimed_by === null ? "Cancel" : "This is not me"}
          </Button>
        )}
      </Group>
      <Failure of={begin.error ?? confirm.error ?? cancel.error} />
    </Card>
  );
}

function ShowCode({ link, code }: { link: ChatLink; code: string | null }) {
  if (code === null) {
    return <p>A code was made in this browser. It is shown once, so make a new one.</p>;
  }
  return (
    <ol className={styles.steps}>
      <li>
        Open a direct message to <Bots />.
      </li>
      <li>
        Send this code, which works once and until {formatExact(link.expires_at)}:
        <span className={styles.code}>
          <code>{code}</code>
          <CopyButton text={code} what="the code" />
        </span>
      </li>
      <li>Answer yes to the bot&rsquo;s question.</li>
      <li>Come back to this page and confirm.</li>
    </ol>
  );
}

/** The bots of the channels that the user sees. */
function Bots(): ReactNode {
  const channels = useApi("GET /manager/api/channels", {});
  const bots = (channels.data?.channels ?? []).filter(({ state }) => state === "connected");
  if (bots.length === 0) return "the bot of a channel of this hub";
  return bots.map(({ id, connector, label, account }, at) => (
    <span key={id}>
      {at > 0 && (at === bots.length - 1 ? " or " : ", ")}
      <strong>
        <bdi>{account?.user_name ?? label}</bdi>
      </strong>
      {` on ${toPlatformName(connector)}`}
      {account?.team_name && (
        <>
          {" in "}
          <bdi>{account.team_name}</bdi>
        </>
      )}
    </span>
  ));
}

/** Who sent the code, as the platform says. */
function Claimant({ link }: { link: ChatLink }) {
  const { user } = useMe();
  const { claimed_by: claimant, confirmed_in_chat: isConfirmed } = link;
  if (claimant === null) return null;
  const { kind, account_id, team_id, team_name, channel } = claimant;
  return (
    <>
      <p className={styles.claimant}>
        <strong>
          <bdi>{toAccountName(claimant)}</bdi>
        </strong>
        {` (${account_id}) on ${toPlatformName(kind)}`}
        {team_id !== null && (
          <>
            {" in "}
            <bdi>{team_name ?? team_id}</bdi>
            {team_name !== null && ` (${team_id})`}
          </>
        )}
        {" sent your code over the channel "}
        <bdi>{channel}</bdi>.
      </p>
      <p>
        {isConfirmed
          ? `Is this your account? What it says to the bots then counts as said by ${user.email}.`
          : "If this is your account, answer yes to the bot. Then confirm here."}
      </p>
    </>
  );
}
