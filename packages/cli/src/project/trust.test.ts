import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Project } from "./find-project.ts";
import { distrustProject, isTrusted, trustProject } from "./trust.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "trust-")));
  folders.push(folder);
  return folder;
}

function makeProject(entry = "main.ts"): Project {
  const root = makeFolder();
  return { root, entry: join(root, entry), name: "acme" };
}

const toEnv = (home: string) => ({ HOME: home, XDG_DATA_HOME: "", LOCALAPPDATA: home });

test("A project is trusted from trustProject until distrustProject", () => {
  const [project, env] = [makeProject(), toEnv(makeFolder())];
  expect(isTrusted(project, env)).toBeFalse();
  trustProject(project, env);
  trustProject(project, env);
  expect(isTrusted(project, env)).toBeTrue();
  distrustProject(project, env);
  distrustProject(project, env);
  expect(isTrusted(project, env)).toBeFalse();
});

test("The trust in a project applies to no other folder and to no other entry", () => {
  const [project, env] = [makeProject(), toEnv(makeFolder())];
  trustProject(project, env);
  expect(isTrusted(makeProject(), env)).toBeFalse();
  expect(isTrusted({ ...project, entry: join(project.root, "other.ts") }, env)).toBeFalse();
});

test("A record within the project is ignored, also behind a link", () => {
  const project = makeProject();
  const inside = join(project.root, "data");
  mkdirSync(inside);
  trustProject(project, toEnv(inside));
  expect(isTrusted(project, toEnv(inside))).toBeFalse();
  const link = join(makeFolder(), "home");
  symlinkSync(inside, link);
  expect(isTrusted(project, toEnv(link))).toBeFalse();
});
