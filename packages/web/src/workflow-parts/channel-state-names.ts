import type { Channel, ChannelState } from "@hub/contract/channel.ts";
import type { StateTone } from "../ui/badges/state-badge.tsx";

/** The states of channels in words. */
export const channelStates: Record<ChannelState, { tone: StateTone; text: string }> = {
  connected: { tone: "good", text: "Connected" },
  connecting: { tone: "busy", text: "Connecting" },
  failed: { tone: "bad", text: "Failed" },
  stopped: { tone: "off", text: "Stopped" },
  disabled: { tone: "off", text: "Disabled" },
  needs_setup: { tone: "warn", text: "Needs setup" },
};

/** A channel in a list to choose from. One that is not connected has its state. */
export function toChannelOption({ slug, label, state }: Pick<Channel, "slug" | "label" | "state">) {
  const name = `${label} (${slug})`;
  if (state === "connected") return { value: slug, label: name };
  return { value: slug, label: `${name}: ${channelStates[state].text.toLowerCase()}` };
}

/** Says of a chosen channel that it does not work now. Undefined for one that does, or connects. */
export function describeHealthProblem({ state }: Pick<Channel, "state">): string | undefined {
  switch (state) {
    case "connected":
    case "connecting":
      return undefined;
    case "failed":
      return "The platform refuses this channel. No events arrive. Admins see the reason on the page of its row.";
    case "stopped":
      return "No server of the hub holds the connection of this channel. No events arrive.";
    case "disabled":
      return "This channel is disabled. No events arrive, and its nodes fail.";
    case "needs_setup":
      return "This channel is not set up yet. No events arrive, and its nodes fail.";
  }
}
