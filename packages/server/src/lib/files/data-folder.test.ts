import { expect, test } from "bun:test";
import { findUserCacheFolder, findUserDataFolder } from "./data-folder.ts";

const home = "/home/ada";

test("A relative variable for folders is ignored: it could name a folder of a stranger's project", () => {
  const env = { HOME: home, XDG_DATA_HOME: "data", XDG_CACHE_HOME: "../cache" };
  expect(findUserDataFolder(env, "hub", "linux")).toBe("/home/ada/.local/share/hub");
  expect(findUserCacheFolder(env, "hub", "linux")).toBe("/home/ada/.cache/hub");
  const windows = findUserDataFolder({ HOME: home, LOCALAPPDATA: "data" }, "hub", "win32");
  expect(windows).toContain("AppData");
});

test("An absolute variable for folders moves them", () => {
  const env = { HOME: home, XDG_DATA_HOME: "/data", XDG_CACHE_HOME: "/cache" };
  expect(findUserDataFolder(env, "hub", "linux")).toBe("/data/hub");
  expect(findUserCacheFolder(env, "hub", "linux")).toBe("/cache/hub");
  const local = "C:\\Users\\ada\\Local";
  expect(findUserDataFolder({ LOCALAPPDATA: local }, "hub", "win32")).toStartWith(local);
});
