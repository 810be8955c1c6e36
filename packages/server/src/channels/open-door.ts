import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import { HubError } from "../errors.ts";
import { isRowOn } from "../operations/admission/list-form.ts";
import { listChannelStates } from "../store/channels/channels-table.ts";
import type { Db } from "../store/database/database.ts";
import type { ChatAdapter, ChatRequest, ReadChatRequest } from "./chat-adapter.ts";
import { type OpenChannelDeps, openChannel, parseAccount } from "./open-channel.ts";
import type { EnvelopeReceiver } from "./receive-envelope.ts";
import type { RecentEnvelopes } from "./recent-envelopes.ts";

type DoorDeps = OpenChannelDeps & {
  db: Db;
  directory: Pick<RowDirectory, "current">;
  isChat(kind: string): boolean;
  loadAdapter(kind: string): Promise<ChatAdapter>;
  receive: EnvelopeReceiver["receive"];
  record: RecentEnvelopes["record"];
};

/**
 * The address of a channel for events of its platform. Null if there is no such channel, if it is
 * disabled or not set up, or if it takes no events by HTTP.
 */
export async function openDoor(deps: DoorDeps, slug: string) {
  const { db, directory } = deps;
  const present = await directory.current();
  const row = present.rows.find((one) => one.slug === slug);
  if (row === undefined || !isRowOn(present, row)) return null;
  if (!deps.isChat(row.connectorKey)) return null;
  const adapter = await deps.loadAdapter(row.connectorKey);
  const [state] = await listChannelStates(db, [row.id]);
  await row.prepare?.();
  const channel = openChannel(deps, row, parseAccount(state?.account ?? null));
  if (channel === null || !adapter.acceptsRequests(channel.config)) return null;
  return {
    rowId: row.id,
    /** `onVerified` runs when the signature is checked, before anything is stored. */
    async receive(
      request: ChatRequest,
      onVerified: () => Promise<void>,
    ): Promise<ReadChatRequest["answer"]> {
      const { envelopes, answer } = await adapter
        .readRequest(channel, request)
        .catch((err: unknown) => {
          const isUnreadable = err instanceof HubError && err.code === "bad_request";
          if (isUnreadable) deps.record(row.id, { events: [] }, { runs: 0, failure: "unreadable" });
          throw err;
        });
      await onVerified();
      await Promise.all(envelopes.map((envelope) => deps.receive(row.id, envelope)));
      return answer;
    },
  };
}
