import { randomBytes } from "node:crypto";
import { z } from "zod";
import { storeMessage } from "./messages.ts";
import { readContent } from "./methods/chat.ts";
import type { People } from "./people.ts";
import { SlackError } from "./slack-error.ts";
import type { SlackChannel, SlackMessage, Workspace } from "./workspace.ts";

export type ResponseUrls = {
  create(kind: "actions" | "commands", channel: SlackChannel, source: SlackMessage | null): string;
  handle(request: Request): Promise<Response>;
};

/** "You can use it up to five times within 30 minutes." */
const usesMax = 5;
const validMs = 30 * 60_000;

const body = z.strictObject({
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
  response_type: z.enum(["in_channel", "ephemeral"]).optional(),
  replace_original: z.union([z.boolean(), z.enum(["true", "false"])]).optional(),
  delete_original: z.union([z.boolean(), z.enum(["true", "false"])]).optional(),
  thread_ts: z.string().optional(),
  mrkdwn: z.boolean().optional(),
  metadata: z.unknown().optional(),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
});

const isTrue = (value: unknown) => value === true || value === "true";

export function createResponseUrls(
  slack: Workspace,
  people: () => People,
  origin: () => string,
): ResponseUrls {
  type Use = {
    channel: SlackChannel;
    source: SlackMessage | null;
    expiresAt: number;
    left: number;
  };
  const uses = new Map<string, Use>();

  /** Does what the body says. The original message may be the app's own only. */
  const respond = (use: Use, message: z.output<typeof body>): void => {
    const own = use.source && (slack.isOwn(use.source) || use.source.isEphemeral);
    const original = own ? use.source : null;
    if (isTrue(message.delete_original)) {
      if (original && !original.isEphemeral) people().remove(original);
      return;
    }
    const content = readContent(message, 40_000);
    if (isTrue(message.replace_original) && original) {
      people().change(original, slack.bot, content);
      return;
    }
    const stored = storeMessage(slack, use.channel, {
      ...content,
      user: slack.bot.id,
      bot: slack.identity,
      isEphemeral: message.response_type !== "in_channel",
      threadTs: message.thread_ts ?? null,
    });
    if (!stored.isEphemeral) people().announce(stored);
  };

  return {
    create(kind, channel, source) {
      const id = slack.newId("");
      const path = `/${kind}/${slack.teamId}/${id}/${randomBytes(12).toString("hex")}`;
      const expiresAt = slack.clock.now() + validMs;
      uses.set(path, { channel, source, expiresAt, left: usesMax });
      return `${origin()}${path}`;
    },
    async handle(request) {
      const use = uses.get(new URL(request.url).pathname);
      const refuse = (status: number, error: string, isFault = true) => {
        if (isFault) slack.faults.push(`Response URL: ${error}`);
        return Response.json({ ok: false, error }, { status });
      };
      if (!use || request.method !== "POST") return refuse(404, "invalid_url");
      if (slack.clock.now() >= use.expiresAt) return refuse(404, "expired_url", false);
      if (use.left === 0) return refuse(404, "used_url", false);
      if (!request.headers.get("content-type")?.startsWith("application/json")) {
        return refuse(400, "invalid_payload");
      }
      const parsed = body.safeParse(await request.json().catch(() => null));
      if (!parsed.success) return refuse(400, `invalid_payload: ${parsed.error.message}`);
      use.left -= 1;
      try {
        respond(use, parsed.data);
      } catch (cause) {
        if (cause instanceof SlackError) return refuse(400, cause.code, cause.isFault);
        throw cause;
      }
      return new Response("ok");
    },
  };
}
