import { useApi } from "../../../../api/use-api.ts";
import { Address } from "../../../../workflow-parts/webhook-address.tsx";
import styles from "../inspector.module.css";
import { useInspector } from "../inspector-context.ts";

/** The addresses of a webhook trigger, by the draft that is saved and by the published version. */
export function WebhookAddresses() {
  const { workflow, item } = useInspector();
  const params = { workflow };
  const { data } = useApi("GET /manager/api/workflows/{workflow}/webhooks", { params });
  const found = data?.webhooks.find(({ trigger_id: id }) => id === item.id);
  if (found === undefined) return null;
  const { live, test } = found;
  return (
    <div className={styles.field}>
      {live !== null && <Address name="Address" address={live} />}
      {test !== null && <Address name="Test address, which runs the draft" address={test} />}
      {live === null && <p className={styles.soft}>Publish gives it an address of its own.</p>}
    </div>
  );
}
