import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WebhookAddress, WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import { Alert } from "@mantine/core";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { Deliveries } from "./deliveries.tsx";
import styles from "./workflows.module.css";

/** The webhooks of a workflow: where they take requests, how to send one, and what the last ones got. */
export function WebhooksTab({ workflow }: { workflow: WorkflowDetail }) {
  const params = { workflow: workflow.id };
  const webhooks = useApi("GET /manager/api/workflows/{workflow}/webhooks", { params });
  return (
    <Loaded of={webhooks} what="The webhooks" skeleton={<PageSkeleton lines={5} />}>
      {({ webhooks: found }) =>
        found.length === 0 ? (
          <EmptyState icon="connect" title="No webhook trigger">
            A webhook trigger starts a run for each request to an address of this hub. Add one in
            the editor.
          </EmptyState>
        ) : (
          <>
            {found.map((webhook) => (
              <Webhook key={webhook.trigger_id} webhook={webhook} />
            ))}
            <Deliveries
              workflow={workflow.id}
              triggers={found.map(({ trigger_id: id, label }) => ({ id, label: label ?? id }))}
            />
          </>
        )
      }
    </Loaded>
  );
}

function Webhook({ webhook: { trigger_id: id, label, live, test } }: { webhook: WorkflowWebhook }) {
  return (
    <Card title={label ?? id}>
      {live === null ? (
        <p>The published version does not have this trigger, so its address does not exist yet.</p>
      ) : (
        <Address name="Address" address={live} />
      )}
      {test !== null && <Address name="Test address, which runs the draft" address={test} />}
    </Card>
  );
}

const answers: Record<WebhookAddress["respond_mode"], string> = {
  immediately: "Answers 202 at once",
  last_node: "Answers with the last output",
  respond_node: "Answers with a webhook_respond node",
};

function Address({ name, address }: { name: string; address: WebhookAddress }) {
  const { url, methods, secret_ref: secret, is_secret_set: isSet, curl } = address;
  return (
    <section className={styles.address} aria-label={name}>
      <h3>{name}</h3>
      <div className={styles.copied}>
        <code>
          <span className={styles.when}>{methods.join(", ")}</span> {url}
        </code>
        <CopyButton text={url} what={`the ${name.toLowerCase()}`} />
      </div>
      <p className={styles.facts}>
        <span>{answers[address.respond_mode]}</span>
        {secret === undefined ? (
          <Badge tone="warn">Not signed: everyone who knows the address can start runs</Badge>
        ) : (
          <span>
            {"Signed with the secret "}
            <code>{secret}</code>
          </span>
        )}
        {address.replay_window_s !== undefined && (
          <span>{`Timestamps within ${address.replay_window_s} s`}</span>
        )}
      </p>
      {secret !== undefined && !isSet && (
        <Alert color="red" mb="sm">
          {`The secret ${secret} is not set, so every request is refused. Set it in the tab Secrets.`}
        </Alert>
      )}
      <details>
        <summary>
          {secret === undefined ? "Send a request with curl" : "Send a signed request with curl"}
        </summary>
        <div className={styles.copied}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keys. */}
          <pre tabIndex={0}>{curl}</pre>
          <CopyButton text={curl} what={`the curl command of the ${name.toLowerCase()}`} />
        </div>
      </details>
    </section>
  );
}
