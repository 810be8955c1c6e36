import type { EnvelopeReceiver } from "../channels/receive-envelope.ts";
import type { RecentEnvelopes } from "../channels/recent-envelopes.ts";
import type { Config } from "../config.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import type { ChannelParts } from "../http/events/channel-endpoint.ts";
import { findAdmitted } from "../identity/find-admitted.ts";
import { findCaller } from "../identity/find-caller.ts";
import type { FreshSignIn } from "../identity/fresh-sign-in.ts";
import type { ProviderWatch } from "../identity/sso/watch-provider.ts";
import type { Instance } from "../jobs/keep-instance.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";
import type { ChannelHealthProblems } from "../workflows/channels/channel-health-problems.ts";
import type { OpenWorkflows } from "../workflows/workflows.ts";
import type { LoadedChatKinds } from "./chat-connectors.ts";

type HostParts = {
  store: Store;
  config: Config;
  log: Log;
  registry: ConnectorRegistry;
  directory: RowDirectory;
  instance: Pick<Instance, "id">;
  chats: LoadedChatKinds;
  openWorkflows: OpenWorkflows;
  ring: RingHolder;
  freshSignIn: FreshSignIn;
  channelProblems: ChannelHealthProblems;
  /** Null if users are not followed at a provider. */
  watch: Pick<ProviderWatch, "admit"> | null;
  now(): number;
};

export type ChannelHost = {
  /** Receives events. Loaded on first use, because most hubs have no channel. */
  openReceiver(): Promise<EnvelopeReceiver>;
  /** The address of a channel for events of its platform. */
  openDoor: ChannelParts["openDoor"];
  /** Keeps the channels connected. Only a server does. */
  hold(baseUrl: string): { stop(): Promise<void> };
  close(): Promise<void>;
};

/** How soon the first channel of a hub is noticed. */
const lookMs = 500;

export function openChannels(parts: HostParts): ChannelHost {
  const { directory, chats, log } = parts;
  let receiver: Promise<LoadedReceiver> | null = null;
  let ownBaseUrl: string | null = null;
  let asker: { wake(): void } | null = null;
  const openReceiver = () => {
    const wakeAsker = () => asker?.wake();
    receiver ??= loadReceiver(parts, { readBaseUrl: () => ownBaseUrl, wakeAsker });
    return receiver;
  };

  const hasChannel = async () =>
    (await directory.current()).rows.some(
      ({ slug, connectorKey }) => slug !== null && chats.has(connectorKey),
    );

  return {
    openReceiver,
    async openDoor(slug) {
      // Strangers can ask too, and most hubs have no channel.
      if (!(await hasChannel())) return null;
      const { openDoor } = await import("../channels/open-door.ts");
      const { receive, recent } = await openReceiver();
      const { loadAdapter, has: isChat } = chats;
      const { outboundAllow } = parts.config;
      return await openDoor(
        {
          ...parts,
          db: parts.store.db,
          loadAdapter,
          isChat,
          receive,
          outboundAllow,
          record: recent.record,
        },
        slug,
      );
    },
    hold(baseUrl) {
      ownBaseUrl = baseUrl;
      let stopTimer = () => {};
      let isStopping = false;
      let holder: { stop(): Promise<void> } | null = null;
      const look = async () => {
        if (!(await hasChannel())) return;
        const { createChannelHolder } = await import("../channels/hold-channels.ts");
        const { receive } = await openReceiver();
        if (isStopping) return;
        const started = createChannelHolder({
          ...parts,
          db: parts.store.db,
          instanceId: parts.instance.id,
          outboundAllow: parts.config.outboundAllow,
          isChat: chats.has,
          loadAdapter: chats.loadAdapter,
          receive,
          baseUrl,
          timers: systemTimers,
          random: Math.random,
          logFailure: (err, place) =>
            log.error({ ...place, err }, "The connection of a channel failed inside the hub"),
        });
        started.start();
        const asking = await openAsking(parts, () => ownBaseUrl);
        asker = asking;
        holder = {
          async stop() {
            await Promise.all([asking.stop(), started.stop()]);
          },
        };
      };
      let looking = Promise.resolve();
      const schedule = () => {
        looking = look()
          .catch((err: unknown) => log.error({ err }, "The channels were not read"))
          .then(() => {
            if (holder === null && !isStopping) stopTimer = systemTimers.after(lookMs, schedule);
          });
      };
      schedule();
      return {
        async stop() {
          isStopping = true;
          stopTimer();
          await looking;
          await holder?.stop();
        },
      };
    },
    async close() {
      await (await receiver)?.recent.close();
    },
  };
}

async function openAsking(parts: HostParts, readBaseUrl: () => string | null) {
  const { keepAsking } = await import("../channels/approvals/keep-asking.ts");
  return keepAsking({
    ...parts,
    db: parts.store.db,
    outboundAllow: parts.config.outboundAllow,
    loadAdapter: parts.chats.loadAdapter,
    readBaseUrl,
    timers: systemTimers,
    logFailure: (err) => parts.log.error({ err }, "The questions of approvals were not sent"),
  });
}

type LoadedReceiver = EnvelopeReceiver & { recent: RecentEnvelopes };

async function loadReceiver(
  parts: HostParts,
  { readBaseUrl, wakeAsker }: { readBaseUrl(): string | null; wakeAsker(): void },
): Promise<LoadedReceiver> {
  const { store, directory, openWorkflows, log } = parts;
  const { db, reads } = store;
  const { createEnvelopeReceiver } = await import("../channels/receive-envelope.ts");
  const { createChannelTriggers } = await import("../channels/channel-triggers.ts");
  const { createRecentEnvelopes } = await import("../channels/recent-envelopes.ts");
  const { listChannelStates, putRecentEnvelopes } = await import(
    "../store/channels/channels-table.ts"
  );
  const recent = createRecentEnvelopes({
    read: async (rowId) => (await listChannelStates(db, [rowId]))[0]?.recent ?? "[]",
    put: (rowId, text) => putRecentEnvelopes(db, rowId, text),
    timers: systemTimers,
    now: parts.now,
    logFailure: (err) => log.error({ err }, "The list of a channel's last events was not written"),
  });
  const { findChatAccount } = await import("../store/channels/chat-accounts-table.ts");
  const { takeDirect } = await import("../channels/linking/take-direct.ts");
  const { createDirectAnswers } = await import("../channels/linking/answer-directly.ts");
  const { parseAccount } = await import("../channels/open-channel.ts");
  const findAccount = async (rowId: string) =>
    parseAccount((await listChannelStates(db, [rowId]))[0]?.account ?? null);
  const answers = createDirectAnswers({
    ...parts,
    outboundAllow: parts.config.outboundAllow,
    loadAdapter: parts.chats.loadAdapter,
    findAccount,
    logFailure: (err, place) => log.warn({ ...place, err }, "The bot's answer was not sent"),
  });
  const receiver = createEnvelopeReceiver({
    directory,
    openWorkflows,
    problems: parts.channelProblems,
    now: parts.now,
    triggers: createChannelTriggers({ db, readRevision: reads.readRevision }),
    findCaller: (userId) => findAdmitted(parts.watch, () => findCaller({ reads }, userId)),
    takeDirect: (row, envelope) =>
      takeDirect(
        {
          db,
          now: parts.now,
          findAccount,
          baseUrl: readBaseUrl(),
          answer: (message) => answers.send(row, message),
        },
        { rowId: row.id, kind: row.connectorKey },
        envelope,
      ),
    async handleClick(row, envelope) {
      const { click } = envelope;
      if (click === undefined) return;
      const { handleClick } = await import("../channels/approvals/handle-click.ts");
      const place = { rowId: row.id, kind: row.connectorKey };
      const refusal = await handleClick({ ...parts, readBaseUrl }, place, envelope, click);
      wakeAsker();
      answers.perform(row, (adapter, channel) =>
        adapter.approvals.answerClick(channel, click, refusal),
      );
    },
    findLinkedUser: async (kind, { teamId, userId: accountId }) =>
      (await findChatAccount(db, { kind, teamId, accountId }))?.userId ?? null,
    record: recent.record,
    logUnreadable: (channel, reason) =>
      log.warn({ channel, reason }, "A platform sent an event of an unknown form"),
    logFailure: (err, place) =>
      log.error({ ...place, err }, "An event of a channel was not stored for a workflow"),
  });
  return { ...receiver, recent };
}
