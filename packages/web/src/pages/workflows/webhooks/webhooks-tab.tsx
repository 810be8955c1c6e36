import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import { useApi } from "../../../api/use-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { Address } from "../../../workflow-parts/webhook-address.tsx";
import { Deliveries } from "./deliveries.tsx";

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
