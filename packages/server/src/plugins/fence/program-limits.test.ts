/** Protects: programs have cgroups where the system gives them, limits of processes elsewhere, and nothing is left. */
import { expect, test } from "bun:test";
import { basename, dirname, join } from "node:path";
import type { GroupSystem } from "./groups/group-system.ts";
import { createProgramLimits } from "./program-limits.ts";

const mount = "/sys/fs/cgroup";
const unit = `${mount}/system.slice/hub.service`;
const settings = { memoryBytes: 1024 ** 3, dataBytes: 8 * 1024 ** 3, tasks: 100 };

/** Cgroups as Linux has them: with its rules about processes, controllers and removal. */
function openCgroups(options: { own?: string; given?: string[]; controllers?: string } = {}) {
  const { own = unit, given = [unit], controllers = "memory pids" } = options;
  const folders = new Map<string, { pids: Set<string>; files: Map<string, string> }>();
  const make = (path: string) => {
    const above = folders.get(dirname(path))?.files.get("cgroup.subtree_control") ?? controllers;
    const files = new Map([["cgroup.controllers", above]]);
    for (const name of ["subtree_control", "kill", "type"]) files.set(`cgroup.${name}`, name);
    files.set("cgroup.subtree_control", "");
    if (above.includes("memory"))
      for (const name of ["max", "swap.max", "oom.group"]) files.set(`memory.${name}`, "max");
    if (above.includes("pids")) files.set("pids.max", "max");
    folders.set(path, { pids: new Set(), files });
  };
  const at = (path: string) => {
    const folder = folders.get(dirname(path));
    if (folder === undefined) throw new Error("ENOENT");
    return { folder, name: basename(path) };
  };
  make(own);
  const processes = [String(process.pid), "4711"];
  for (const pid of processes) folders.get(own)?.pids.add(pid);
  const system: GroupSystem = {
    isRoot: false,
    read(path) {
      if (path === "/proc/self/cgroup") {
        const at = [...folders].find(([, { pids }]) => pids.has(String(process.pid)))?.[0] ?? "";
        return `0::${at.slice(mount.length) || "/"}\n`;
      }
      if (path === "/proc/self/mountinfo") {
        return `31 23 0:28 / /sys rw - sysfs sysfs rw\n32 31 0:29 / ${mount} rw,nosuid - cgroup2 cgroup rw\n`;
      }
      const { folder, name } = at(path);
      if (name === "cgroup.procs") return [...folder.pids].join("\n");
      const text = folder.files.get(name);
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
    write(path, text) {
      const { folder, name } = at(path);
      if (name === "cgroup.procs") {
        for (const { pids } of folders.values()) pids.delete(text);
        folder.pids.add(text);
      } else if (!folder.files.has(name)) {
        throw new Error("ENOENT");
      } else if (name === "cgroup.subtree_control") {
        if (folder.pids.size > 0) throw new Error("EBUSY");
        const enabled = `${folder.files.get(name)} ${text.replace("+", "")}`.trim();
        folder.files.set(name, enabled);
      } else if (name === "cgroup.kill") {
        folder.pids.clear();
      } else {
        folder.files.set(name, text);
      }
    },
    make,
    remove(path) {
      const isUsed = [...folders.keys()].some((one) => dirname(one) === path);
      if (isUsed || (folders.get(path)?.pids.size ?? 0) > 0) throw new Error("EBUSY");
      folders.delete(path);
    },
    list: (path) => [
      ...[...folders.keys()].filter((one) => dirname(one) === path).map((one) => basename(one)),
      ...(folders.get(path)?.files.keys() ?? []),
    ],
    canWrite: (path) => path.startsWith(own),
    isGiven: (path) => given.includes(path),
    findStart: (pid) => (pid === process.pid ? "77" : null),
    pause: async () => {},
  };
  return { system, folders, processes, show: (path: string) => folders.get(path) };
}

const open = (system: GroupSystem, hasUser = false, changes = {}) =>
  createProgramLimits({ settings: { ...settings, ...changes }, hasUser, system });

test("A program has a cgroup with limits in the given one, which goes with all that is in it", async () => {
  const { system, show, processes } = openCgroups();
  const limits = open(system);
  expect(limits.findState()).toEqual({
    memory: { by: "group", bytes: 1024 ** 3 },
    tasks: { by: "group", count: 100 },
    absence: null,
  });
  // Looking changes nothing.
  expect(show(unit)?.pids.size).toBe(2);
  const { limits: launch, group } = limits.open();
  const path = join(unit, `hub-program-${process.pid}-77-1`);
  expect(launch).toEqual({ group: path, dataBytes: null, userTasks: null });
  expect(Object.fromEntries(show(path)?.files ?? [])).toMatchObject({
    "memory.max": "1073741824",
    "memory.swap.max": "0",
    "memory.oom.group": "1",
    "pids.max": "100",
  });
  expect([...(show(join(unit, "hub-own"))?.pids ?? [])]).toEqual(processes);
  system.write(join(path, "cgroup.procs"), "4712");
  await group?.end();
  expect(show(path)).toBeUndefined();
  // Another hub in the same cgroup, and this one's next program.
  expect(open(system).open().group?.path).toBe(path);
});

test("What a dead hub has left is ended at the next start, and nothing of a living one", async () => {
  const { system, show } = openCgroups();
  const living = open(system).open().group?.path ?? "";
  const left = [join(unit, "hub-program-4713-5-1"), join(unit, `hub-program-${process.pid}-5-1`)];
  for (const path of left) {
    system.make(path);
    system.write(join(path, "cgroup.procs"), "4714");
  }
  expect(await open(system).sweep()).toBe(2);
  expect([...left, living].map((path) => show(path) !== undefined)).toEqual([false, false, true]);
});

test.each([
  ["not given", { given: [] }, "Delegate="],
  ["without a memory controller", { controllers: "hugetlb" }, "no memory controller"],
])("In a cgroup that is %s, processes are limited one by one", (_, options, reason) => {
  const { system, folders } = openCgroups(options);
  const limits = open(system);
  const absence = expect.stringContaining(reason);
  const memory = { by: "data", bytes: 8 * 1024 ** 3 } as const;
  expect(limits.findState()).toEqual({ memory, tasks: null, absence });
  expect(limits.open()).toEqual({
    limits: { group: null, dataBytes: 8 * 1024 ** 3, userTasks: null },
    group: null,
  });
  expect(folders.size).toBe(1);
  // The system counts the tasks of a user together: only a user for programs can have that limit.
  expect(open(system, true).open().limits.userTasks).toBe(100);
  expect(open(system, true, { tasks: 0, dataBytes: 0 }).open().limits).toEqual({
    group: null,
    dataBytes: null,
    userTasks: null,
  });
});

test("A cgroup that is refused leaves the limits of processes, and the reason is told", () => {
  const { system } = openCgroups();
  const limits = open({
    ...system,
    make: () => {
      throw new Error("EROFS");
    },
  });
  expect(limits.open().limits).toMatchObject({ group: null, dataBytes: 8 * 1024 ** 3 });
  expect(limits.findState().absence).toContain("EROFS");
});

test("Root in a container has the topmost cgroup that it sees", () => {
  const { system } = openCgroups({ own: mount, given: [] });
  expect(open(system).findState().memory?.by).toBe("data");
  const path = open({ ...system, isRoot: true }).open().limits.group;
  expect(path).toBe(join(mount, `hub-program-${process.pid}-77-1`));
  // The processes have moved, so it is found from the new place.
  expect(open({ ...system, isRoot: true }).findState().memory?.by).toBe("group");
});
