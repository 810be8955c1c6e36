import { useApi } from "../../../api/use-api.ts";

import styles from "./plugin-warning.module.css";

/** What an admin should know before a program of others is installed. */
export function PluginWarning({ isOn = true }: { isOn?: boolean }) {
  const { data } = useApi("GET /manager/api/plugins", {}, { isOn });
  return (
    <div className={styles.warning}>
      A plugin is a program. Install it only from a source that you trust. The hub verifies it
      before it is used.
      {data !== undefined && (
        <p>
          {data.fence.in_force
            ? `Its program cannot read the hub's keys and data (fence: ${data.fence.text}).`
            : `Fence of its program: ${data.fence.text}.`}
        </p>
      )}
    </div>
  );
}
