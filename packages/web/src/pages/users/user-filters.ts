import type { Input } from "../../api/call-api.ts";
import { readTextFilters } from "../../ui/tables/text-filters.ts";

/** The filters of the page of users, as they stand in its address. */
export type UserFilters = { q?: string; tag?: string; status?: Status; role?: Role };

type Query = NonNullable<Input<"GET /admin/api/users">["query"]>;
type Status = NonNullable<Query["status"]>;
type Role = NonNullable<Query["role"]>;

export const userStatuses = [
  { value: "active", label: "Active" },
  { value: "pending", label: "Pending" },
  { value: "disabled", label: "Disabled" },
] satisfies Array<{ value: Status; label: string }>;
export const userRoles = [
  { value: "admin", label: "Admins" },
  { value: "user", label: "Users" },
] satisfies Array<{ value: Role; label: string }>;

export const findStatus = (text: string | undefined): Status | undefined =>
  userStatuses.find(({ value }) => value === text)?.value;
export const findRole = (text: string | undefined): Role | undefined =>
  userRoles.find(({ value }) => value === text)?.value;

export function readUserFilters(search: Record<string, unknown>): UserFilters {
  const { status, role, ...texts } = readTextFilters(search, ["q", "status", "role", "tag"]);
  const [knownStatus, knownRole] = [findStatus(status), findRole(role)];
  return {
    ...texts,
    ...(knownStatus !== undefined && { status: knownStatus }),
    ...(knownRole !== undefined && { role: knownRole }),
  };
}
