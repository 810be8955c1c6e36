import { describe, expect, test } from "bun:test";
import type { GroupLine } from "../../store/users/group-lines-table.ts";
import { decideAccess } from "./decide-access.ts";
import { isFreeStart } from "./group-line.ts";
import { matchGroup } from "./match-group.ts";
import { readGroupClaim } from "./read-group-claim.ts";
import { resolveGroups } from "./resolve-groups.ts";

function line(given: Partial<GroupLine> & { pattern: string }): GroupLine {
  return {
    id: given.pattern,
    source: "any",
    isPattern: given.pattern.includes("*"),
    tags: [],
    tagStart: null,
    role: "user",
    adminByScim: false,
    ...given,
  };
}

const resolve = (lines: GroupLine[], names: string[], kind: "sso" | "scim" = "sso") =>
  resolveGroups(lines, [{ kind, names }]);

describe("names of groups", () => {
  test.each([
    ["backend", "backend", ""],
    ["backend", "/eng/backend", null],
    ["backend", "Backend", null],
    ["/eng/*", "/eng/backend", "backend"],
    ["/eng/*", "/eng", null],
    ["/eng/*", "/eng/backend/db", "backend/db"],
    ["hub-*-team", "hub-data-team", "data"],
    ["hub-*-team", "hub-team", null],
    ["*", "anything", "anything"],
    ["*a*b", "xaxb", ""],
    ["*a*b", "ba", null],
    ["a*a", "a", null],
    ["a.c*", "abc", null],
  ])("The pattern %s and the name %s", (pattern, name, rest) => {
    expect(matchGroup({ pattern, isPattern: pattern.includes("*") }, name)).toBe(rest);
  });

  test("A star of a line that is no pattern stands for itself", () => {
    expect(matchGroup({ pattern: "a*", isPattern: false }, "ab")).toBeNull();
    expect(matchGroup({ pattern: "a*", isPattern: false }, "a*")).toBe("");
  });
});

describe("what groups give", () => {
  test("Each group gives the tags of its lines, and other groups give nothing", () => {
    const lines = [
      line({ pattern: "/eng/backend", tags: ["backend", "code"] }),
      line({ pattern: "/eng/*", tags: ["code"], tagStart: "team-" }),
      line({ pattern: "/sales", tags: ["crm"] }),
    ];
    const { tags, role } = resolve(lines, ["/eng/backend", "/unknown"]);
    expect({ tags, role }).toEqual({ tags: ["backend", "code", "team-backend"], role: "user" });
    expect(resolve(lines, ["/unknown"])).toEqual({ tags: [], role: null, untagged: [] });
  });

  test("The role none wins over admin, and admin over user", () => {
    const lines = [
      line({ pattern: "a", role: "admin" }),
      line({ pattern: "n", role: "none" }),
      line({ pattern: "u" }),
    ];
    expect(resolve(lines, ["u", "a", "n"]).role).toBe("none");
    expect(resolve(lines, ["u", "a"]).role).toBe("admin");
    expect(resolve(lines, ["u"]).role).toBe("user");
  });

  test("Groups never give the own tag of a row or everyone, whether written or made", () => {
    const rowTag = "row-billing-1a2b3c4d";
    const lines = [
      line({ pattern: "a", tags: [rowTag, "everyone", "kept"] }),
      line({ pattern: "made-*", tagStart: "e" }),
    ];
    expect(resolve(lines, ["a", "made-veryone"]).tags).toEqual(["kept"]);
    expect(["row-", "row-x", "r", "ro", ""].map(isFreeStart)).toEqual(Array(5).fill(false));
    expect(["team-", "rows-", "grp:"].map(isFreeStart)).toEqual([true, true, true]);
  });

  test("A group of whose name no tag can be made gives none, and is named", () => {
    const lines = [line({ pattern: "/eng/*", tagStart: "team-" })];
    const { tags, untagged } = resolve(lines, ["/eng/a b", "/eng/x/y", "/eng/", "/eng/ok"]);
    expect(tags).toEqual(["team-ok"]);
    expect(untagged).toEqual(["/eng/", "/eng/a b", "/eng/x/y"]);
  });

  test("A SCIM group gives the role admin only by a line that was ticked for it", () => {
    const lines = [line({ pattern: "root", role: "admin", tags: ["ops"] })];
    expect(resolve(lines, ["root"], "scim")).toMatchObject({ tags: ["ops"], role: null });
    const ticked = [line({ pattern: "root", role: "admin", adminByScim: true })];
    expect(resolve(ticked, ["root"], "scim").role).toBe("admin");
  });

  test("A line for one source is not used for the other", () => {
    const lines = [line({ pattern: "a", source: "scim", tags: ["t"] })];
    expect(resolve(lines, ["a"], "sso").tags).toEqual([]);
    expect(resolve(lines, ["a"], "scim").tags).toEqual(["t"]);
  });
});

describe("the role and the state", () => {
  const user = { role: "user", handRole: null, status: "active", disabledBy: null } as const;
  const admin = { ...user, role: "admin" } as const;

  test("An admin by groups is one until the groups no longer say so, and an admin by hand stays", () => {
    const byGroup = decideAccess(user, "admin", false);
    expect(byGroup).toEqual({ ...admin, handRole: "user" });
    expect(decideAccess(byGroup, "user", false)).toEqual(user);
    expect(decideAccess(byGroup, null, false)).toEqual(user);
    const both = decideAccess(admin, "admin", false);
    expect(both).toEqual({ ...admin, handRole: "admin" });
    expect(decideAccess(both, "user", false)).toEqual(admin);
  });

  test("Only a user whom groups disabled becomes active again by groups", () => {
    const refused = decideAccess(user, "none", false);
    expect(refused).toMatchObject({ status: "disabled", disabledBy: "groups" });
    expect(decideAccess(refused, "user", false)).toEqual(user);
    for (const disabledBy of [null, "scim"] as const) {
      const disabled = { ...user, status: "disabled", disabledBy } as const;
      expect(decideAccess(disabled, "admin", false)).toMatchObject({ status: "disabled" });
    }
    const pending = { ...user, status: "pending" } as const;
    expect(decideAccess(pending, "none", false).status).toBe("pending");
    expect(decideAccess(pending, "user", false).status).toBe("pending");
  });

  test("The last active admin stays one, and loses the role once there is another", () => {
    const byGroup = { ...admin, handRole: "user" } as const;
    expect(decideAccess(byGroup, null, true)).toEqual(byGroup);
    expect(decideAccess(byGroup, "none", true)).toEqual(byGroup);
    expect(decideAccess(byGroup, null, false)).toEqual(user);
    expect(decideAccess(admin, "none", true)).toEqual(admin);
    expect(decideAccess(admin, "none", false)).toMatchObject({ status: "disabled" });
  });
});

describe("the claim with the groups", () => {
  test.each<[string, Record<string, unknown>, string, unknown]>([
    ["a list", { groups: ["b", "a", "b"] }, "groups", { names: ["b", "a"], leftOut: 0 }],
    ["an empty list", { groups: [] }, "groups", { names: [], leftOut: 0 }],
    ["one name", { groups: "a" }, "groups", { names: ["a"], leftOut: 0 }],
    [
      "a path",
      { realm_access: { roles: ["a"] } },
      "realm_access.roles",
      { names: ["a"], leftOut: 0 },
    ],
    [
      "an address",
      { "https://x.example/g": ["a"] },
      "https://x.example/g",
      { names: ["a"], leftOut: 0 },
    ],
    ["no claim", {}, "groups", { names: null, problem: "missing" }],
    ["no claim of this object", {}, "constructor", { names: null, problem: "missing" }],
    ["a path through a list", { a: ["b"] }, "a.length", { names: null, problem: "missing" }],
    ["null", { groups: null }, "groups", { names: null, problem: "missing" }],
    ["an object", { groups: { a: 1 } }, "groups", { names: null, problem: "malformed" }],
    ["a number among names", { groups: ["a", 7] }, "groups", { names: null, problem: "malformed" }],
    [
      "an overage of Entra",
      { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://g" } } },
      "groups",
      { names: null, problem: "overage" },
    ],
    [
      "an overage beside a part of the groups",
      { groups: ["a"], _claim_names: { groups: "src1" } },
      "groups",
      { names: null, problem: "overage" },
    ],
    ["hasgroups", { hasgroups: true }, "groups", { names: null, problem: "overage" }],
    ["hasgroups as a text", { hasgroups: "true" }, "groups", { names: null, problem: "overage" }],
    [
      "an overage of another claim",
      { roles: [], _claim_names: { groups: "s" } },
      "roles",
      { names: [], leftOut: 0 },
    ],
  ])("Claims with %s", (_, claims, claim, expected) => {
    expect(readGroupClaim(claims, claim)).toEqual(expected as never);
  });

  test("Names that are empty, too long or not of one line are left out and counted", () => {
    const names = ["", "x".repeat(257), "a\nb", "\u{d800}", "x".repeat(256)];
    expect(readGroupClaim({ groups: names }, "groups")).toEqual({
      names: ["x".repeat(256)],
      leftOut: 4,
    });
  });

  test("More groups than the hub reads say nothing, because the one that refuses could be missing", () => {
    const list = (length: number) => Array.from({ length }, (_, at) => `g${at}`);
    expect(readGroupClaim({ groups: list(2000) }, "groups").names).toHaveLength(2000);
    expect(readGroupClaim({ groups: list(2001) }, "groups")).toEqual({
      names: null,
      problem: "too_many",
    });
  });
});
