import {
  type PendingCall,
  type PendingCallDetail,
  pendingCallStateSchema,
} from "@hub/contract/pending-call.ts";
import { command, group, list } from "../declare/command.ts";
import { argument, choice } from "../declare/parameters.ts";
import { detail, table } from "../declare/view.ts";
import { toPrintable } from "../text/table.ts";

const loadCalls = () => import("@hub/server/services/pending/list-pending-calls.ts");

/** A call with the address of its page; null if no server of the hub runs. */
type ShownCall = PendingCallDetail & { url: string | null };

export const define = group(
  {
    about:
      "A rule can ask a person before a call runs. People decide on the page of the call, in a signed-in browser: these commands only read. The approvals of workflows are in `{hub} workflow approvals`.",
    examples: ["approval list", "approval show 3f9c2a71"],
  },
  [
    list("list", "list the calls that wait for a person, newest first", {
      takes: {
        state: choice(
          "<state>",
          "only calls in this state",
          pendingCallStateSchema.options,
          "open",
        ),
      },
      reads: async ({ services, author: { caller } }, { state }, page) =>
        (await loadCalls()).listPendingCalls(services, caller, { ...page, state }),
      shows: table<PendingCall>(
        [
          ["asked", "created_at"],
          "state",
          "user",
          ["made by", "made_by"],
          ["row", "row_label"],
          ["operation", "operation"],
          ["decides", toDeciders],
          ["expires", "expires_at"],
          "id",
        ],
        "There are no such calls.",
      ),
    }),
    command("show", "show a call that waits, and the address of the page to decide on", {
      takes: {
        call: argument("<call>", "id, or its first characters", ({ findPendingCallId }, typed) =>
          findPendingCallId(typed),
        ),
      },
      async does({ services, author: { caller } }, { call }): Promise<ShownCall> {
        const { store, now } = services;
        const shown = await (await loadCalls()).showPendingCall(services, caller, call);
        const { findCallUrl } = await import("@hub/server/services/pending/find-call-url.ts");
        return { ...shown, url: await findCallUrl({ store, now }, call) };
      },
      shows: toCallText,
    }),
  ],
);

function toDeciders({ decider, user, deputy }: PendingCall): string {
  if (decider.by === "caller") return user === "local-admin" ? "any admin" : user;
  const tags = decider.tags.map((tag) => `tag ${tag}`).join(", ");
  return deputy === null ? tags : `${tags}, ${deputy}`;
}

const toFacts = detail<ShownCall>([
  ["call", "id"],
  "state",
  "user",
  ["made by", "made_by"],
  ["row", "row_label"],
  ["operation", "operation"],
  ["destructive", ({ destructive }) => (destructive ? "yes" : "no")],
  ["account", "account"],
  ["rule", "rule_name"],
  ["why", "rule_sentence"],
  ["decides", toDeciders],
  ["asked", "created_at"],
  ["expires", "expires_at"],
  ["decided by", "decided_by"],
  "comment",
]);

function toCallText(call: ShownCall): string {
  const params = toPrintable(JSON.stringify(call.params));
  return [toFacts(call), `Params:\n  ${params}`, toPageText(call)].join("\n\n");
}

function toPageText({ reason, state, url, user }: ShownCall): string {
  if (state === "open" && reason === "account") {
    return `Nothing is decided about this call: ${user} must connect an account on the page "Accounts" of the hub.`;
  }
  const isDecided = state !== "open" || reason !== "approval";
  if (url !== null) return `The page ${isDecided ? "of the call" : "to decide on"}: ${url}`;
  return "No server of this hub runs. Start it with `hub serve` to open the page of the call.";
}
