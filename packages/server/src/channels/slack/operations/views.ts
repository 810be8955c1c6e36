import { InvalidInputError, isJsonObject, type Json, toBytesText, wick } from "@hub/connector";
import { callMethod, orNothing, pickText, type SlackCallContext } from "./call-slack.ts";

const viewText =
  "required;desc=The view as Block Kit, with type modal, title, blocks, and submit if it has inputs. A callback_id names it in its events, and notify_on_close asks for view_closed.";

export const openModalFields = {
  TriggerID: wick(
    "required;desc=trigger_id of the command, button or shortcut, at most three seconds old.",
  ),
  View: wick.json(viewText),
  Push: wick.bool("default=false;desc=Open it on the modal in which the button is."),
};

export async function openModal(
  ctx: SlackCallContext,
  params: { TriggerID: string; View: unknown; Push?: boolean | undefined },
) {
  const view = readView(params.View, "modal");
  const method = params.Push === true ? "views.push" : "views.open";
  return toResult(await callMethod(ctx, method, { trigger_id: params.TriggerID.trim(), view }));
}

export const updateModalFields = {
  ViewID: wick("required;desc=view_id of the event, or as open_modal returned it."),
  View: wick.json(viewText),
  Hash: wick("desc=view_hash of the event: refuses if the view has changed since."),
};

export async function updateModal(
  ctx: SlackCallContext,
  params: { ViewID: string; View: unknown; Hash?: string | undefined },
) {
  const view = readView(params.View, "modal");
  const given = { view_id: params.ViewID.trim(), view, ...orNothing("hash", params.Hash) };
  return toResult(await callMethod(ctx, "views.update", given));
}

export const publishHomeFields = {
  User: wick("required;desc=Id of the user whose home page of the app it is."),
  View: wick.json("required;desc=The page as Block Kit, with type home and blocks."),
  Hash: wick("desc=The hash of the page that is replaced: refuses if it has changed since."),
};

export async function publishHome(
  ctx: SlackCallContext,
  params: { User: string; View: unknown; Hash?: string | undefined },
) {
  const view = readView(params.View, "home");
  const given = { user_id: params.User.trim(), view, ...orNothing("hash", params.Hash) };
  return toResult(await callMethod(ctx, "views.publish", given));
}

export const openDmFields = {
  Users: wick("required;desc=The user's id. Up to eight ids, separated by commas, for a group."),
};

const usersMax = 8;

export async function openDm(ctx: SlackCallContext, params: { Users: string }) {
  const users = params.Users.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  if (
    users.length === 0 ||
    users.length > usersMax ||
    !users.every((id) => /^\w{1,40}$/.test(id))
  ) {
    throw new InvalidInputError("users", "must be 1 to 8 user ids, separated by commas");
  }
  const answer = await callMethod(ctx, "conversations.open", { users: users.join(",") });
  const channel = Object(answer.channel);
  return { ok: true, channel_id: pickText(channel.id) };
}

const viewBytesMax = 250_000;

function readView(given: unknown, type: "modal" | "home"): object {
  // Safe: params are JSON.
  if (!isJsonObject(given as Json)) throw new InvalidInputError("view", "must be an object");
  const view = { type, ...Object(given) };
  if (view.type !== type) throw new InvalidInputError("view.type", `must be ${type}`);
  if (Buffer.byteLength(JSON.stringify(view)) > viewBytesMax) {
    throw new InvalidInputError("view", `must be smaller than ${toBytesText(viewBytesMax)}`);
  }
  return view;
}

function toResult(answer: Record<string, unknown>) {
  const view = Object(answer.view);
  return { ok: true, view_id: pickText(view.id), view_hash: pickText(view.hash) };
}
