import type { CheckStatus } from "@hub/contract/doctor.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** What the checks of `hub doctor` need. */
export type DoctorDeps = Pick<
  ServiceDeps,
  "store" | "ring" | "references" | "registry" | "plugins" | "config" | "now" | "chats"
>;

/** The result of a check, as its function gives it. */
export type Check = {
  name: string;
  status: CheckStatus;
  message: string;
  /** When it was seen, if not now; epoch ms. */
  seenAt?: number;
  /** Since when something is wrong, if that is known; epoch ms. */
  since?: number;
};

export function toCheck(name: string, status: CheckStatus, message: string): Check {
  return { name, status, message };
}
