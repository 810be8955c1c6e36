import type { DoctorCheck } from "@hub/contract/doctor.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** What the checks of `hub doctor` need. */
export type DoctorDeps = Pick<
  ServiceDeps,
  "store" | "ring" | "references" | "registry" | "plugins" | "config" | "now" | "chats"
>;

export function toCheck(name: string, status: DoctorCheck["status"], message: string): DoctorCheck {
  return { name, status, message };
}
