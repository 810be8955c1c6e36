import type { FenceState } from "./fence.ts";

/** What keeps programs away from the hub, in a few words: `user 998, group 998, and Landlock 7`. */
export function describeKind({ landlock, user }: FenceState): string {
  const parts = [
    ...(user === null ? [] : [`user ${user.uid}, group ${user.gid}`]),
    ...(landlock === "off" || landlock === 0 ? [] : [`Landlock ${landlock}`]),
  ];
  return parts.join(", and ");
}

/** Why nothing keeps programs away from the hub, and what that means. */
export function describeAbsence({ landlock }: FenceState): string {
  const reason =
    landlock === "off"
      ? "HUB_PLUGIN_FENCE is off"
      : "this system has no Landlock, or forbids it to the hub";
  return `none: ${reason}. Programs of plugins and rows can read all that the hub can, keys included`;
}
