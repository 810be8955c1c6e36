import type { NodeOf } from "@hub/contract/workflow-node.ts";
import type { TriggerOf } from "@hub/contract/workflow-trigger.ts";
import { checkEventFilters } from "../../channels/check-event-filters.ts";
import { suggestOne } from "../describe-issue.ts";
import { type Path, type ProblemList, quote } from "../problem-list.ts";
import type { FoundChannel, ValidationWorld } from "../validation-world.ts";
import { checkNodeParams } from "./check-node-params.ts";

type ChannelCheck = { problems: ProblemList; world: ValidationWorld };

/** Checks the channel, the event and the filters of a trigger. */
export function checkChannelTrigger(
  check: ChannelCheck,
  path: Path,
  trigger: TriggerOf<"channel">,
): void {
  const { problems, world } = check;
  const channel = findChannel(check, path, trigger.channel, "the trigger never fires");
  if (channel === null) return;
  const report = world.purpose === "publish" ? problems.error : problems.warn;
  const event = channel.events.find(({ id }) => id === trigger.event);
  if (event === undefined) {
    const ids = channel.events.map(({ id }) => id);
    const message = `The channel ${quote(trigger.channel)} has no event ${quote(trigger.event)}.`;
    report([...path, "event"], message, () => suggestOne(trigger.event, ids, "Events"));
    return;
  }
  for (const { path: member, message } of checkEventFilters(event, trigger.match)) {
    const key = /^[^.[]*/.exec(member)?.[0] ?? "";
    const at = key === "" ? [...path, "match"] : [...path, "match", key];
    const text = `The filter ${quote(member)} ${message.replace(/[^.?!]$/, "$&.")}`;
    report(at, text, () => `Filters of ${event.id}: ${event.filters.join(", ")}.`);
  }
}

/** Checks the channel, the action and the arguments of a node. */
export function checkChannelNode(check: ChannelCheck, path: Path, node: NodeOf<"channel">): void {
  const { problems, world } = check;
  const channel = findChannel(check, path, node.channel, "the node fails");
  if (channel === null) return;
  const operation = channel.findOp(node.op);
  if (operation === null) {
    const message = `The channel ${quote(node.channel)} has no action ${quote(node.op)}.`;
    const hint = () => suggestOne(node.op, channel.opKeys, "Actions");
    if (world.purpose === "publish") problems.error([...path, "op"], message, hint);
    else problems.warn([...path, "op"], message, hint);
    return;
  }
  if (operation.disabled === "operation") {
    const message = "An admin has disabled the action of this node, so it fails.";
    problems.warn([...path, "op"], message, "Ask an admin to enable it, or use another action.");
  }
  checkNodeParams(check, [...path, "args"], node.args, operation);
}

/** Reports a channel that the owner does not see, or that does not work now. */
function findChannel(
  { problems, world }: ChannelCheck,
  path: Path,
  name: string,
  consequence: string,
): FoundChannel | null {
  if (world.findChannel === undefined) return null;
  const at = [...path, "channel"];
  const channel = world.findChannel(name);
  if (channel === null) {
    const slugs = world.channelSlugs ?? [];
    const message = `The owner of the workflow sees no channel ${quote(name)}.`;
    const hint = () =>
      slugs.length === 0
        ? "Ask an admin to add a channel, or for one of its tags."
        : suggestOne(name, slugs, "Channels");
    if (world.purpose === "publish") problems.error(at, message, hint);
    else problems.warn(at, message, hint);
    return null;
  }
  if (channel.disabled !== null) {
    const message = `An admin has disabled the ${channel.disabled} of this channel, so ${consequence}.`;
    problems.warn(at, message, "Ask an admin to enable it, or use another channel.");
  }
  if (channel.missing.length > 0) {
    const message = `The channel is not set up, so ${consequence}. It lacks ${channel.missing.slice(0, 10).join(", ")}.`;
    problems.warn(at, message, "Ask an admin to set it up.");
  }
  return channel;
}
