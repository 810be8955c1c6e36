import {
  createGuardedFetch,
  createGuardedResolve,
  replaceText,
  toFieldNames,
} from "@hub/connector";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { toOutboundPolicy } from "../connectors/rows/open-row-config.ts";
import type { Row } from "../connectors/rows/row-directory.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { ChatAccount, OpenChannel } from "./chat-adapter.ts";

export type OpenChannelDeps = {
  registry: Pick<ConnectorRegistry, "find">;
  outboundAllow: readonly string[];
  log: Log;
  now(): number;
};

/** A long poll of a platform may take a minute. */
const timeoutMs = 100_000;

/** A row of a chat connector with what its adapter needs. Null if it lacks something. */
export function openChannel(
  { registry, outboundAllow, log, now }: OpenChannelDeps,
  row: Row,
  account: ChatAccount | null,
): OpenChannel | null {
  const connector = registry.find(row.connectorKey);
  if (connector === null || row.slug === null) return null;
  const config = row.config();
  const { values, missing, secrets } = config;
  if (missing.length > 0) return null;
  const policy = toOutboundPolicy(config, outboundAllow);
  const hide = (text: string) => hideSecrets(text, secrets.texts);
  const write =
    (level: keyof Log) =>
    (message: string, details: Record<string, unknown> = {}) => {
      const fields = { connector: row.connectorKey, channel: row.slug };
      log[level]({ ...fields, details: hide(JSON.stringify(details)) }, hide(message));
    };
  return {
    id: row.id,
    slug: row.slug,
    config: toFieldNames(connector.configFields, values),
    account,
    fetch: createGuardedFetch({ policy, timeoutMs, pool: row.id }),
    resolve: createGuardedResolve({ policy }),
    log: {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
    },
    now,
  };
}

/** A library may quote a token, such as the one in an address of Telegram. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    for (const spelling of new Set([secret, encodeURIComponent(secret)])) {
      hidden = replaceText(hidden, spelling, "[secret]");
    }
  }
  return hidden;
}

/** The account that a holder has stored. */
export function parseAccount(text: string | null): ChatAccount | null {
  // Safe: `connected` of an adapter gave it.
  return text === null ? null : (JSON.parse(text) as ChatAccount);
}
