import { OutboundError, UpstreamError } from "@hub/connector";
import { z } from "zod";

type Details = {
  /** Such as `auth.test`. */
  method: string;
  /** Slack's code, such as `channel_not_found`. */
  error: string;
  /** The scope that is missing. */
  needed?: string | undefined;
  /** What Slack says of the arguments. */
  messages?: readonly string[];
  retryAfterMs?: number;
  httpStatus?: number;
};

/** Slack refused a call. */
export class SlackFailure extends Error {
  override readonly name = "SlackFailure";
  readonly details: Details;

  constructor(details: Details) {
    super(`Slack refused ${details.method}: ${details.error}`);
    this.details = details;
  }
}

const coded = z.looseObject({ code: z.string() });
const platform = z.object({
  data: z.looseObject({
    error: z.string().max(200).catch("unknown_error"),
    needed: z.string().max(500).optional().catch(undefined),
    response_metadata: z
      .looseObject({ messages: z.array(z.string()).catch([]) })
      .catch({ messages: [] })
      .optional(),
  }),
});

/** Sorts the errors of Slack's library. Errors of the connection itself are returned as they are. */
export function toSlackFailure(method: string, thrown: unknown): unknown {
  const known = coded.safeParse(thrown);
  if (!known.success || !(thrown instanceof Error)) return thrown;
  switch (known.data.code) {
    case "slack_webapi_platform_error": {
      const { data } = platform.parse(thrown);
      const messages = data.response_metadata?.messages ?? [];
      return new SlackFailure({ method, error: data.error, needed: data.needed, messages });
    }
    case "slack_webapi_rate_limited_error": {
      const seconds = Number(known.data.retryAfter);
      return new SlackFailure({
        method,
        error: "ratelimited",
        retryAfterMs: Math.max(0, Number.isFinite(seconds) ? seconds : 1) * 1000,
        httpStatus: 429,
      });
    }
    case "slack_webapi_http_error": {
      const httpStatus = Number(known.data.statusCode);
      return new SlackFailure({ method, error: `http_status_${httpStatus}`, httpStatus });
    }
    case "slack_webapi_request_error":
      return known.data.original ?? thrown;
    default:
      return thrown;
  }
}

const messageCharsMax = 500;

/** The failure as a caller of an operation sees it: what Slack says, and what to do next. */
export function toUpstreamError(thrown: unknown): unknown {
  if (thrown instanceof OutboundError || !(thrown instanceof SlackFailure)) return thrown;
  const { error, needed, messages = [], httpStatus, retryAfterMs } = thrown.details;
  const advice = toAdvice(thrown.details);
  // A longer one is omitted: a cut could split a secret, and half a secret is not masked.
  const said = messages.slice(0, 5).filter((message) => message.length <= messageCharsMax);
  const body = {
    error,
    ...(needed !== undefined && { needed }),
    ...(said[0] && { messages: said }),
  };
  const wait =
    retryAfterMs === undefined ? "" : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  const details = said.length === 0 ? "" : ` ${said.join(" ")}`;
  return new UpstreamError(`${thrown.message}. ${advice}${wait}${details}`.trim(), {
    ...(httpStatus !== undefined && { httpStatus }),
    ...(retryAfterMs !== undefined && { retryAfterS: retryAfterMs / 1000 }),
    body,
    cause: thrown,
  });
}

/** Codes after which it is of no use to try again before an admin has changed the row or the app. */
const refusals = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "user_removed_from_team",
  "team_disabled",
  "team_access_not_granted",
  "not_allowed_token_type",
  "missing_scope",
  "no_permission",
  "org_login_required",
]);

export const isRefusal = ({ error }: Pick<Details, "error">): boolean => refusals.has(error);

export function toAdvice({ method, error, needed }: Details): string {
  if (error === "missing_scope") {
    const scope = needed === undefined ? "a scope" : `the scope ${needed}`;
    return `The app lacks ${scope}. Add it on the page OAuth & Permissions of the app, and install the app again.`;
  }
  if (isRefusal({ error })) {
    const token = method === "apps.connections.open" ? "app token" : "bot token";
    return `An admin must set a valid ${token} in the row.`;
  }
  return advice[error] ?? "";
}

const expiredTrigger =
  "A trigger_id works once, within three seconds of the click or the command. Open the modal in the first node of the workflow.";

const advice: Readonly<Record<string, string>> = {
  channel_not_found: "The id is wrong, or the bot cannot see the channel. Invite it with /invite.",
  not_in_channel: "The bot is not in the channel. Invite it there with /invite.",
  is_archived: "The channel is archived.",
  user_not_found: "Look the user id up with the picker slack.users.",
  thread_not_found: "thread_ts is not the ts of a message of this channel.",
  cannot_reply_to_message: "thread_ts must be the ts of the first message of the thread.",
  message_not_found: "ts is not a message of this channel.",
  cant_update_message: "The bot can change only its own messages.",
  edit_window_closed: "The message is too old to be changed.",
  msg_too_long: "The text is too long. Send it in parts.",
  no_text: "The message is empty.",
  invalid_blocks: "Check the blocks in Slack's Block Kit Builder.",
  invalid_blocks_format: "blocks must be an array.",
  invalid_name: "The emoji does not exist in this workspace.",
  too_many_reactions: "The message has too many reactions.",
  expired_trigger_id: expiredTrigger,
  exchanged_trigger_id: expiredTrigger,
  trigger_expired: expiredTrigger,
  trigger_exchanged: expiredTrigger,
  invalid_trigger_id: expiredTrigger,
  hash_conflict: "The view has changed since. Use its new hash, or leave hash out.",
  not_found: "The view is closed, or the id is wrong.",
  view_too_large: "A view has at most 250 KB.",
  push_limit_reached: "At most three views can be open on each other.",
  ratelimited: "Slack limits how often this may be called.",
  cannot_dm_bot: "Bots have no direct messages with each other.",
  user_disabled: "The user is deactivated.",
};
