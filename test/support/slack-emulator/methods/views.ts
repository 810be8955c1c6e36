import type { z } from "zod";
import { homeView, modalView, toBlockMessages } from "../block-kit.ts";
import { SlackError, toDetailedError } from "../slack-error.ts";
import type { JsonObject, SlackView, Trigger, Workspace } from "../workspace.ts";
import { defineMethod, json, type Method, text } from "./define-method.ts";

const viewBytesMax = 250_000;
const stackedViewsMax = 3;

export const viewMethods: Record<string, Method> = {
  "views.open": defineMethod({
    args: { trigger_id: text, view: json },
    run({ slack }, args) {
      const source = readView(args.view, modalView);
      checkExternalId(slack, source);
      const trigger = useTrigger(slack, args.trigger_id);
      return { view: toViewObject(slack, addView(slack, source, trigger.userId, null)) };
    },
  }),

  "views.push": defineMethod({
    args: { trigger_id: text, view: json },
    run({ slack }, args) {
      const source = readView(args.view, modalView);
      checkExternalId(slack, source);
      const trigger = useTrigger(slack, args.trigger_id);
      const below = trigger.viewId === null ? undefined : slack.views.get(trigger.viewId);
      if (!below?.isOpen) throw new SlackError("invalid_trigger_id");
      const depth = [...slack.views.values()].filter(
        ({ isOpen, rootViewId }) => isOpen && rootViewId === below.rootViewId,
      ).length;
      if (depth >= stackedViewsMax) throw new SlackError("push_limit_reached");
      return { view: toViewObject(slack, addView(slack, source, trigger.userId, below)) };
    },
  }),

  "views.update": defineMethod({
    args: {
      view: json,
      view_id: text.optional(),
      external_id: text.optional(),
      hash: text.optional(),
    },
    run({ slack }, args) {
      if ((args.view_id === undefined) === (args.external_id === undefined)) {
        const what = "[ERROR] needs either view_id or external_id";
        throw toDetailedError("invalid_arguments", [what], { isFault: true });
      }
      const view = [...slack.views.values()].find(
        ({ id, isOpen, source }) =>
          isOpen && (args.view_id ? id === args.view_id : source.external_id === args.external_id),
      );
      if (!view) throw new SlackError("not_found");
      if (args.hash !== undefined && args.hash !== view.hash) throw new SlackError("hash_conflict");
      view.source = readView(args.view, modalView);
      view.hash = newHash(slack);
      return { view: toViewObject(slack, view) };
    },
  }),

  "views.publish": defineMethod({
    args: { user_id: text, view: json, hash: text.optional() },
    run({ slack }, args) {
      const source = readView(args.view, homeView);
      if (!slack.users.has(args.user_id)) {
        throw toDetailedError("invalid_arguments", ["invalid `user_id`"]);
      }
      const old = slack.homes.get(args.user_id);
      if (args.hash !== undefined && args.hash !== old?.hash) throw new SlackError("hash_conflict");
      const id = old?.id ?? slack.newId("V");
      const view: SlackView = {
        id,
        rootViewId: id,
        previousViewId: null,
        hash: newHash(slack),
        userId: args.user_id,
        isOpen: true,
        source,
      };
      slack.homes.set(args.user_id, view);
      return { view: toViewObject(slack, view) };
    },
  }),
};

/** A view as the app gives it, also in the answer to a submission. */
export function readView(view: unknown, schema: z.ZodType): JsonObject {
  const parsed = schema.safeParse(view);
  if (!parsed.success) {
    throw toDetailedError("invalid_arguments", toBlockMessages(parsed.error, "/view"));
  }
  if (JSON.stringify(view).length > viewBytesMax) throw new SlackError("view_too_large");
  return Object.fromEntries(Object.entries(view ?? {}));
}

export function addView(
  slack: Workspace,
  source: JsonObject,
  userId: string,
  below: SlackView | null,
): SlackView {
  const id = slack.newId("V");
  const view: SlackView = {
    id,
    rootViewId: below?.rootViewId ?? id,
    previousViewId: below?.id ?? null,
    hash: newHash(slack),
    userId,
    isOpen: true,
    source,
  };
  slack.views.set(id, view);
  return view;
}

/** A view as Slack gives it, with the members that the app left out. */
export function toViewObject(
  slack: Workspace,
  view: SlackView,
  values: JsonObject = {},
): JsonObject {
  const { source } = view;
  const blocks: unknown[] = Array.isArray(source.blocks) ? source.blocks : [];
  return {
    id: view.id,
    team_id: slack.teamId,
    type: source.type,
    blocks: blocks.map((block, index) => ({ block_id: `b${index}`, ...Object(block) })),
    private_metadata: source.private_metadata ?? "",
    callback_id: source.callback_id ?? "",
    state: { values },
    hash: view.hash,
    title: source.title ?? { type: "plain_text", text: "View Title", emoji: true },
    clear_on_close: source.clear_on_close ?? false,
    notify_on_close: source.notify_on_close ?? false,
    close: source.close ?? null,
    submit: source.submit ?? null,
    previous_view_id: view.previousViewId,
    root_view_id: view.rootViewId,
    app_id: slack.appId,
    external_id: source.external_id ?? "",
    app_installed_team_id: slack.teamId,
    bot_id: slack.botId,
  };
}

function newHash(slack: Workspace): string {
  return `${Math.floor(slack.clock.now() / 1_000)}.${slack.newId("h")}`;
}

function checkExternalId(slack: Workspace, source: JsonObject): void {
  if (source.external_id === undefined) return;
  const isTaken = [...slack.views.values()].some(
    (view) => view.source.external_id === source.external_id,
  );
  if (isTaken) throw new SlackError("duplicate_external_id");
}

function useTrigger(slack: Workspace, id: string): Trigger {
  const trigger = slack.triggers.get(id);
  if (!trigger) throw new SlackError("invalid_trigger_id");
  if (trigger.isUsed) throw new SlackError("exchanged_trigger_id");
  if (slack.clock.now() >= trigger.expiresAt) throw new SlackError("expired_trigger_id");
  trigger.isUsed = true;
  return trigger;
}
