import { badRequest, conflict } from "./api-error.ts";
import type { Bot } from "./bot.ts";
import { editMessage, findChat, openForSending, sendMessage } from "./messages.ts";
import type { Method, MethodParams } from "./parameters.ts";
import type { World } from "./world.ts";

export type MethodDeps = {
  world: World;
  /** Allows webhooks without TLS, at any port and address. */
  plainWebhooks: boolean;
  signal: AbortSignal;
  webhookIsSet(bot: Bot): void;
};

type Handlers = {
  [M in Method]: (deps: MethodDeps, bot: Bot, params: MethodParams<M>) => unknown;
};

/** What each method does. */
export const methods: Handlers = {
  getMe: (_, { user, settings }) => ({
    ...user,
    can_join_groups: true,
    can_read_all_group_messages: settings.canReadAllGroupMessages,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  }),
  getUpdates: ({ signal }, bot, { allowed_updates, ...params }) => {
    bot.allow(allowed_updates);
    const { offset, limit, timeout } = params;
    return bot.poll(
      {
        ...(offset !== undefined && { offset }),
        ...(limit !== undefined && { limit }),
        ...(timeout !== undefined && { timeout }),
      },
      signal,
    );
  },
  setWebhook(deps, bot, params) {
    if (params.url !== "") checkWebhook(deps, params);
    bot.endPoll(conflict("terminated by setWebhook request"));
    bot.allow(params.allowed_updates);
    if (params.drop_pending_updates === true) bot.dropPending();
    bot.webhook =
      params.url === ""
        ? null
        : {
            url: params.url,
            secretToken: params.secret_token ?? null,
            maxConnections: params.max_connections ?? 40,
            lastError: null,
          };
    deps.webhookIsSet(bot);
    return true;
  },
  deleteWebhook(_, bot, params) {
    bot.webhook = null;
    if (params.drop_pending_updates === true) bot.dropPending();
    return true;
  },
  getWebhookInfo: (_, { webhook, pending, allowedUpdates }) => ({
    url: webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: pending.length,
    ...(webhook !== null && { max_connections: webhook.maxConnections }),
    ...(webhook?.lastError && {
      last_error_date: webhook.lastError.at,
      last_error_message: webhook.lastError.message,
    }),
    ...(allowedUpdates.length > 0 && { allowed_updates: allowedUpdates }),
  }),
  sendMessage: ({ world }, bot, params) => sendMessage(world, bot, params),
  editMessageText: ({ world }, bot, params) => editMessage(world, bot, params),
  editMessageReplyMarkup: ({ world }, bot, params) => editMessage(world, bot, params),
  answerCallbackQuery({ world }, bot, params) {
    const open = world.openQueries.get(params.callback_query_id);
    if (open?.bot !== bot)
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    if ((params.text ?? "").length > 200) throw badRequest("MESSAGE_TOO_LONG");
    if (params.url !== undefined && !params.url.startsWith(`https://t.me/${bot.user.username}?`))
      throw badRequest("URL_INVALID");
    world.openQueries.delete(params.callback_query_id);
    const { text = null, show_alert: showAlert = false } = params;
    world.answeredQueries.push({ query: open.query, text, showAlert });
    return true;
  },
  setMyCommands(_, bot, { commands, ...scope }) {
    if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
    for (const { command, description } of commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
      if (description.trim() === "" || description.length > 256)
        throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    }
    bot.commands.set(toScope(scope), commands);
    return true;
  },
  getMyCommands: (_, bot, scope) => bot.commands.get(toScope(scope)) ?? [],
  deleteMyCommands(_, bot, scope) {
    bot.commands.delete(toScope(scope));
    return true;
  },
  getChat({ world }, bot, { chat_id }) {
    const chat = findChat(world, bot, chat_id);
    openForSending(world, bot, chat_id);
    return { ...chat.info, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: {} };
  },
  sendChatAction({ world }, bot, { chat_id }) {
    openForSending(world, bot, chat_id);
    return true;
  },
};

function checkWebhook(deps: MethodDeps, params: MethodParams<"setWebhook">): void {
  const { url, secret_token: secret } = params;
  if (!URL.canParse(url)) throw badRequest("bad webhook: invalid URL");
  const { protocol, port, hostname } = new URL(url);
  if (protocol !== "https:" && !deps.plainWebhooks)
    throw badRequest("bad webhook: HTTPS url must be provided for webhook");
  if (!deps.plainWebhooks) {
    if (!["", "80", "88", "443", "8443"].includes(port))
      throw badRequest("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443");
    if (/^(127\.|10\.|192\.168\.|localhost$|\[::1\])/.test(hostname))
      throw badRequest(`bad webhook: IP address ${hostname} is reserved`);
  }
  if (secret === undefined) return;
  if (secret.length > 256) throw badRequest("secret token is too long");
  if (!/^[\w-]+$/.test(secret)) throw badRequest("secret token contains unallowed characters");
}

const toScope = (scope: { scope?: unknown; language_code?: string | undefined }) =>
  JSON.stringify([scope.scope ?? { type: "default" }, scope.language_code ?? ""]);
