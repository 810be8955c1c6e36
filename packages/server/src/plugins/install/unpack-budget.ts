import { toBytesText } from "@hub/connector";
import { refusePlugin } from "../verify/refuse-plugin.ts";
import type { InstallLimits } from "./install-limits.ts";

/** Counts unpacked members and bytes, and throws when a limit is exceeded. */
export type UnpackBudget = {
  /** Called before each member. Throws if `path` is outside the folder. */
  takeMember(path: string, bytes: number): void;
  takeBytes(bytes: number): void;
};

/** Below this size the ratio is not checked: text with many blanks compresses to almost nothing. */
const expansionFreeBytes = 1024 * 1024;

export function createUnpackBudget(
  plugin: string,
  limits: InstallLimits,
  archiveBytes: number,
): UnpackBudget {
  let members = 0;
  let total = 0;
  const fail = (expected: string, found: string) => refuseArchive(plugin, expected, found);
  return {
    takeMember(path, bytes) {
      members += 1;
      if (members > limits.membersMax) {
        throw fail(`at most ${limits.membersMax} members`, "more");
      }
      checkMemberPath(plugin, path);
      if (bytes > limits.memberBytesMax) {
        throw fail(
          `members of at most ${toBytesText(limits.memberBytesMax)}`,
          `${bytes} in ${path}`,
        );
      }
    },
    takeBytes(bytes) {
      total += bytes;
      if (total > limits.totalBytesMax) {
        throw fail(`at most ${toBytesText(limits.totalBytesMax)} unpacked`, "more");
      }
      if (total > expansionFreeBytes && total > archiveBytes * limits.expansionMax) {
        throw fail(`at most ${limits.expansionMax} bytes for each packed byte`, "more");
      }
    },
  };
}

/** Attack: a member named `../../.ssh/authorized_keys` would be written there. */
function checkMemberPath(plugin: string, path: string): void {
  const parts = path.replace(/\/$/, "").split("/");
  const isPlain =
    parts.length <= 2 &&
    path.length <= 255 &&
    parts.every((part) => /^[^\p{Cc}/\\:]+$/u.test(part));
  if (isPlain && !parts.some((part) => part === "." || part === ".." || part === "")) return;
  throw refuseArchive(
    plugin,
    "members inside the plugin's folder",
    `the member ${JSON.stringify(path.slice(0, 255))}`,
  );
}

/** The refusal of an archive because of its content. */
export function refuseArchive(plugin: string, expected: string, found: string, cause?: unknown) {
  return refusePlugin({
    plugin,
    check: "archive",
    expected,
    found,
    remedy: "Do not use this archive. Get one that was built with `wick plugin build`.",
    cause,
  });
}
