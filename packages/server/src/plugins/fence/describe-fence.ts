import type { FenceState } from "./find-fence-state.ts";
import type { LimitsState } from "./program-limits.ts";

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

const gib = 1024 ** 3;

/** What programs may take of the machine, as sentences without the last full stop. */
export function describeLimits({
  landlock,
  limits,
}: Pick<FenceState, "landlock" | "limits">): string {
  if (limits === null) {
    const reason =
      landlock === "off" ? "HUB_PLUGIN_FENCE is off" : "this system cannot limit programs";
    return `none: ${reason}. A program can take all memory of the machine`;
  }
  return `${describeMemory(limits)}. ${describeTasks(limits)}`;
}

function describeMemory({ memory, absence }: LimitsState): string {
  if (memory === null) return "a program can take all memory of the machine: the setting is 0";
  const size = `${(memory.bytes / gib).toFixed(1)} GiB`;
  if (memory.by === "group")
    return `a program ends if it takes more than ${size} of memory (cgroup)`;
  return `each process of a program can reserve at most ${size} of memory (RLIMIT_DATA). Beyond that its requests for memory fail, and it may go on; several processes together can take more, because ${absence}`;
}

function describeTasks({ tasks }: LimitsState): string {
  if (tasks === null) return "The number of its processes and threads is not limited";
  if (tasks.by === "group") return `It has at most ${tasks.count} processes and threads`;
  return `The programs of HUB_PLUGIN_USER have at most ${tasks.count} processes and threads together`;
}
