import { OutboundError } from "@hub/connector";
import { createTokenBuckets } from "../lib/limits/token-buckets.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Db } from "../store/database/database.ts";
import { hasOAuthGrant } from "../store/oauth/oauth-grants.ts";
import { deleteSetting, findSetting, putSetting } from "../store/settings/settings-table.ts";

/** `auto` stops advertising documents for a day when the hub cannot connect to a client's host. */
export type ClientDocumentsMode = "auto" | "on" | "off";

type ClientDocumentsDeps = {
  db: Db;
  now: () => number;
  log: Pick<Log, "warn">;
  mode: ClientDocumentsMode;
  /** Rejects when there is no valid document; with an OutboundError when there is no connection. */
  fetchDocument(url: string): Promise<Response>;
};

/** The metadata documents by which clients identify themselves (client-ID metadata documents). */
export type ClientDocuments = {
  /**
   * Whether the server's metadata offers them. If so, some clients send their document's URL, and
   * do not fall back to registration if the hub cannot fetch it.
   */
  areAdvertised(): Promise<boolean>;
  /** Fetches a document for a request from this network area. */
  fetch(url: string, area: string): Promise<Response>;
  /**
   * What the user and an admin can do about an unknown client; null for the id of a registered
   * client.
   */
  explainFailure(clientId: string): string | null;
};

/** The effective setting after a fetch failed without a connection. */
const unreachableAtKey = "oauth.client_documents_unreachable_at";
const dayMs = 24 * 60 * 60_000;
/**
 * A fetch is a request to an address that a stranger names, so fetches are limited: for each
 * network area, so that one stranger cannot use up the fetches of others, and in total. Clients
 * that a user has allowed are not counted.
 */
const fetchesPerMinute = { ofArea: 30, together: 300 };
const failuresMax = 100;
/** The provider fetches several times for one page. */
const failureKeptMs = 5_000;

type DocumentFailure = { thrown: unknown; explanation: string; at: number };

export function createClientDocuments(deps: ClientDocumentsDeps): ClientDocuments {
  const { db, now, log, mode, fetchDocument } = deps;
  const areas = createTokenBuckets({ now });
  const together = createTokenBuckets({ now });
  /** By URL, for the page that follows. The same process fetches and shows the page. */
  const failures = new Map<string, DocumentFailure>();

  function keepFailure(url: string, failure: DocumentFailure): void {
    failures.delete(url);
    failures.set(url, failure);
    const [oldest] = failures.keys();
    if (failures.size > failuresMax && oldest !== undefined) failures.delete(oldest);
  }

  function checkLimits(area: string): void {
    if (
      areas.take(area, fetchesPerMinute.ofArea) > 0 ||
      together.take("", fetchesPerMinute.together) > 0
    ) {
      throw new FetchLimitError();
    }
  }

  async function recordFailure(url: string, thrown: unknown): Promise<void> {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const advice = toAdvice(mode, thrown);
    // Not logged, because strangers could fill the log with refusals by the limit.
    if (!(thrown instanceof FetchLimitError)) {
      const message = `The metadata document of an OAuth client was not fetched. ${advice}`;
      log.warn({ host: toHost(url), reason }, message);
    }
    const explanation = `${toPublicReason(thrown, reason)} ${advice}`;
    keepFailure(url, { thrown, explanation, at: now() });
    if (isWithoutConnection(thrown)) await putSetting(db, unreachableAtKey, String(now()));
  }

  return {
    async areAdvertised() {
      if (mode !== "auto") return mode === "on";
      // Null if that never happened; as a number it is 0, which is long ago.
      const unreachableAt = Number(await findSetting(db, unreachableAtKey));
      return now() - unreachableAt >= dayMs;
    },

    async fetch(url, area) {
      const recent = failures.get(url);
      // A clock that was set back must not keep a failure.
      const isRecent = recent !== undefined && Math.abs(now() - recent.at) < failureKeptMs;
      if (isRecent) throw recent.thrown;
      try {
        if (!(await hasOAuthGrant(db, { clientId: url, now: now() }))) checkLimits(area);
        const response = await fetchDocument(url);
        failures.delete(url);
        const wasUnreachable = (await findSetting(db, unreachableAtKey)) !== null;
        if (wasUnreachable) await deleteSetting(db, unreachableAtKey);
        return response;
      } catch (thrown) {
        await recordFailure(url, thrown);
        throw thrown;
      }
    },

    explainFailure(clientId) {
      if (!clientId.startsWith("https://") || !URL.canParse(clientId)) return null;
      if (mode === "off") {
        return "This hub does not accept metadata documents of applications (HUB_OAUTH_CLIENT_DOCUMENTS=off). Try again now: the application can register instead. If it does not, remove the connection in the application and add it again.";
      }
      const reason = failures.get(clientId)?.explanation ?? "Try again in a minute.";
      return `The hub could not use this application's metadata document at ${toHost(clientId)}. ${reason}`;
    },
  };
}

class FetchLimitError extends Error {
  override readonly message = "The hub fetched too many documents in the last minute.";
}

/** Whether a closed network or a proxy is the cause, not the document or its server. */
function isWithoutConnection(thrown: unknown): boolean {
  return thrown instanceof OutboundError && noConnectionCodes.includes(thrown.code);
}

/** `blocked` too: name servers of closed networks return private addresses for public names. */
const noConnectionCodes = ["blocked", "dns", "network", "timeout"];

/** One sentence for all name errors, so that strangers do not learn names of the hub's network. */
function toPublicReason(thrown: unknown, reason: string): string {
  const isAboutName = thrown instanceof OutboundError && /^(?:blocked|dns)$/.test(thrown.code);
  return isAboutName ? "The hub found no public address for that name." : reason;
}

function toAdvice(mode: ClientDocumentsMode, thrown: unknown): string {
  if (thrown instanceof FetchLimitError) return "Try again in a minute.";
  if (!isWithoutConnection(thrown)) return "Report this to the application's developers.";
  const admins = "An admin can allow the hub's machine to connect to that host";
  return mode === "auto"
    ? `Try again now: the application will register instead, which needs no connection. ${admins}, or set HUB_OAUTH_CLIENT_DOCUMENTS=off.`
    : `${admins}, or set HUB_OAUTH_CLIENT_DOCUMENTS to auto or off, so that applications register instead.`;
}

function toHost(url: string): string {
  return new URL(url).host;
}
