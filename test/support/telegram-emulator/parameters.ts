import { z } from "zod";
import { badRequest } from "./api-error.ts";
import { updateTypes } from "./types.ts";

const int = z.number().int();
const chatId = z.union([int, z.string().regex(/^(-?\d+|@\w{4,32})$/)]);
const parseMode = z.string();
const entities = z.array(
  z.strictObject({
    type: z.string(),
    offset: int.min(0),
    length: int.min(1),
    url: z.string().optional(),
    language: z.string().optional(),
    custom_emoji_id: z.string().optional(),
  }),
);
const inlineKeyboard = z.strictObject({
  inline_keyboard: z.array(
    z.array(
      z.strictObject({
        text: z.string(),
        callback_data: z.string().optional(),
        url: z.string().optional(),
      }),
    ),
  ),
});
const replyKeyboard = z.strictObject({
  keyboard: z.array(z.array(z.union([z.string(), z.strictObject({ text: z.string() })]))),
  is_persistent: z.boolean().optional(),
  resize_keyboard: z.boolean().optional(),
  one_time_keyboard: z.boolean().optional(),
  input_field_placeholder: z.string().min(1).max(64).optional(),
  selective: z.boolean().optional(),
});
const replyMarkup = z.union([
  inlineKeyboard,
  replyKeyboard,
  z.strictObject({ remove_keyboard: z.literal(true), selective: z.boolean().optional() }),
  z.strictObject({
    force_reply: z.literal(true),
    input_field_placeholder: z.string().min(1).max(64).optional(),
    selective: z.boolean().optional(),
  }),
]);
const linkPreview = z.strictObject({
  is_disabled: z.boolean().optional(),
  url: z.string().optional(),
  prefer_small_media: z.boolean().optional(),
  prefer_large_media: z.boolean().optional(),
  show_above_text: z.boolean().optional(),
});
const replyParameters = z.strictObject({
  message_id: int,
  chat_id: chatId.optional(),
  allow_sending_without_reply: z.boolean().optional(),
  quote: z.string().max(1024).optional(),
  quote_position: int.min(0).optional(),
});
const allowedUpdates = z.array(z.enum(updateTypes));
const scope = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("default") }),
  z.strictObject({ type: z.literal("all_private_chats") }),
  z.strictObject({ type: z.literal("all_group_chats") }),
  z.strictObject({ type: z.literal("all_chat_administrators") }),
  z.strictObject({ type: z.literal("chat"), chat_id: chatId }),
  z.strictObject({ type: z.literal("chat_administrators"), chat_id: chatId }),
  z.strictObject({ type: z.literal("chat_member"), chat_id: chatId, user_id: int }),
]);
const commandScope = { scope: scope.optional(), language_code: z.string().optional() };

/** Parameters of each method that the emulator carries out. Others are refused. */
const methodParameters = {
  getMe: z.strictObject({}),
  getUpdates: z.strictObject({
    offset: int.optional(),
    limit: int.min(1).max(100).optional(),
    timeout: int.min(0).max(50).optional(),
    allowed_updates: allowedUpdates.optional(),
  }),
  setWebhook: z.strictObject({
    url: z.string(),
    ip_address: z.string().optional(),
    max_connections: int.min(1).max(100).optional(),
    allowed_updates: allowedUpdates.optional(),
    drop_pending_updates: z.boolean().optional(),
    secret_token: z.string().optional(),
  }),
  deleteWebhook: z.strictObject({ drop_pending_updates: z.boolean().optional() }),
  getWebhookInfo: z.strictObject({}),
  sendMessage: z.strictObject({
    chat_id: chatId,
    message_thread_id: int.optional(),
    text: z.string(),
    parse_mode: parseMode.optional(),
    entities: entities.optional(),
    link_preview_options: linkPreview.optional(),
    disable_notification: z.boolean().optional(),
    protect_content: z.boolean().optional(),
    reply_parameters: replyParameters.optional(),
    reply_markup: replyMarkup.optional(),
  }),
  editMessageText: z.strictObject({
    chat_id: chatId,
    message_id: int,
    text: z.string(),
    parse_mode: parseMode.optional(),
    entities: entities.optional(),
    link_preview_options: linkPreview.optional(),
    reply_markup: inlineKeyboard.optional(),
  }),
  editMessageReplyMarkup: z.strictObject({
    chat_id: chatId,
    message_id: int,
    reply_markup: inlineKeyboard.optional(),
  }),
  answerCallbackQuery: z.strictObject({
    callback_query_id: z.string(),
    text: z.string().optional(),
    show_alert: z.boolean().optional(),
    url: z.string().optional(),
    cache_time: int.min(0).optional(),
  }),
  setMyCommands: z.strictObject({
    commands: z.array(z.strictObject({ command: z.string(), description: z.string() })),
    ...commandScope,
  }),
  getMyCommands: z.strictObject(commandScope),
  deleteMyCommands: z.strictObject(commandScope),
  getChat: z.strictObject({ chat_id: chatId }),
  sendChatAction: z.strictObject({
    chat_id: chatId,
    message_thread_id: int.optional(),
    action: z.enum(["typing", "upload_photo", "upload_document", "upload_video", "find_location"]),
  }),
};

export type Method = keyof typeof methodParameters;
export type MethodParams<M extends Method> = z.infer<(typeof methodParameters)[M]>;

/** Methods are case-insensitive on the platform. */
export function findMethod(name: string): Method | null {
  const names = Object.keys(methodParameters);
  // Safe: the names are the keys.
  return (names.find((known) => known.toLowerCase() === name.toLowerCase()) as Method) ?? null;
}

/** Reads the parameters of a request in any of the four ways that the reference allows. */
export async function readRequest(req: Request): Promise<Record<string, unknown>> {
  const query = Object.fromEntries(new URL(req.url).searchParams);
  if (req.method === "GET") return query;
  if (req.method !== "POST") throw badRequest("only GET and POST are supported");
  const type = req.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
  if (type === "application/json") {
    const body: unknown = await req.json().catch(() => null);
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw badRequest("can't parse request JSON object");
    return { ...query, ...body };
  }
  if (type !== "application/x-www-form-urlencoded" && type !== "multipart/form-data") return query;
  return { ...query, ...Object.fromEntries(await req.formData()) };
}

/** What is wrong with the parameters, or the parameters. In forms and queries, values are JSON texts. */
export function checkParameters(method: Method, given: Record<string, unknown>, areTexts: boolean) {
  const schema = methodParameters[method];
  const first = schema.safeParse(given);
  if (first.success || !areTexts) return first;
  const wrong = new Set(first.error.issues.map(({ path }) => path[0]));
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    wrong.has(key) && typeof value === "string" ? parseJson(value) : value,
  ]);
  return schema.safeParse(Object.fromEntries(entries));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
