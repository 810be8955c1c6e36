import type { PendingCallDetail } from "@hub/contract/pending-call.ts";
import { Properties } from "../../../ui/page/properties.tsx";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { describeClient, describeDecider } from "./describe-call.ts";

/** Who asks, through what, why it is asked, and until when it waits. */
export function CallFacts({ call }: { call: PendingCallDetail }) {
  const { state, approved_until: until } = call;
  const reason = [call.rule_name, call.rule_sentence].filter(Boolean).join(": ");
  return (
    <Properties
      items={[
        ["User", <bdi key="user">{call.user}</bdi>],
        ["Called by", <bdi key="by">{call.made_by}</bdi>],
        ["Client", <bdi key="client">{describeClient(call)}</bdi>],
        ["Address", call.ip_address],
        ["Account", call.account !== null && <bdi key="account">{call.account}</bdi>],
        ["Rule", reason !== "" && <bdi key="rule">{reason}</bdi>],
        ["Decides", <bdi key="decides">{describeDecider(call)}</bdi>],
        ["Asked", <TimeAgo key="asked" at={call.created_at} />],
        [
          state === "open" ? "Expires" : "Would expire",
          <TimeAgo key="expires" at={call.expires_at} />,
        ],
        [
          "Approved until",
          state === "approved" && until !== null && <TimeAgo key="until" at={until} />,
        ],
      ]}
    />
  );
}
