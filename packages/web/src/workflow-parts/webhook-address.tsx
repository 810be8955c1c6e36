import type { WebhookAddress } from "@hub/contract/workflow-webhook.ts";
import { Alert } from "@mantine/core";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Snippet } from "../ui/page/snippet.tsx";
import { formatSpan } from "../ui/text/format.ts";
import styles from "./webhook-address.module.css";

const answers: Record<WebhookAddress["respond_mode"], string> = {
  immediately: "Answers 202 at once",
  last_node: "Answers with the last output",
  respond_node: "Answers with a webhook_respond node",
};

type Props = {
  name: string;
  address: WebhookAddress;
  /** Shows the curl command at once. */
  isOpen?: boolean;
};

/** An address of a webhook, who may send to it, and a command that does. */
export function Address({ name, address, isOpen = false }: Props) {
  const { url, methods, secret_ref: secret, is_secret_set: isSet, curl } = address;
  return (
    <section className={styles.address} aria-label={name}>
      <h3>{name}</h3>
      <div className={styles.copied}>
        <code>
          <span className={styles.soft}>{methods.join(", ")}</span> {url}
        </code>
        <CopyButton text={url} what={`the ${name.toLowerCase()}`} />
      </div>
      <p className={styles.facts}>
        <span>{answers[address.respond_mode]}</span>
        {secret === undefined ? (
          <span className={styles.warn}>
            Not signed: everyone who knows the address can start runs
          </span>
        ) : (
          <span>
            {"Checked by the secret "}
            <code>{secret}</code>
          </span>
        )}
        {address.replay_window_s !== undefined && (
          <span>{`Timestamps within ${formatSpan(address.replay_window_s)}`}</span>
        )}
      </p>
      {secret !== undefined && !isSet && (
        <Alert color="red" mb="sm">
          {`The secret ${secret} is not set, so every request is refused. Set it first.`}
        </Alert>
      )}
      <details open={isOpen}>
        <summary>
          {secret === undefined ? "Send a request with curl" : "Send a signed request with curl"}
        </summary>
        <Snippet text={curl} what={`the curl command of the ${name.toLowerCase()}`} />
      </details>
    </section>
  );
}
