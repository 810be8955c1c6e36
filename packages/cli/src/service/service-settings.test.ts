import { expect, test } from "bun:test";
import { parseEnvFile } from "./parse-env-file.ts";
import { planService } from "./plan-service.ts";
import { readUnit } from "./read-unit.ts";
import { toBackupUnitTexts, toUnitText } from "./unit-text.ts";

test("A file of settings is read as systemd reads it", () => {
  const file = [
    "# HUB_PORT=1",
    "; HUB_PORT=2",
    "",
    "HUB_BASE_URL=https://hub.example.com  ",
    "  HUB_HOST = 0.0.0.0",
    'HUB_ENC_KEY="a b\\"c\\$d\\n"',
    "HUB_SSO_CLIENT_SECRET='a\\b \"c\" '",
    "HUB_DATABASE_URL=postgres://hub:p@db/hub?a=1&b=2",
    "HUB_TRUSTED_PROXIES=10.0.0.0/8,\\",
    "fd00::/8",
    'HUB_NOTE="first',
    'second"',
    "HUB_EMPTY=",
    "export HUB_NOT=1",
    "no assignment",
    "HUB_LAST=it\\'s",
  ].join("\n");
  expect(parseEnvFile(file)).toEqual({
    HUB_BASE_URL: "https://hub.example.com",
    HUB_HOST: "0.0.0.0",
    HUB_ENC_KEY: 'a b"c$d\\n',
    HUB_SSO_CLIENT_SECRET: 'a\\b "c" ',
    HUB_DATABASE_URL: "postgres://hub:p@db/hub?a=1&b=2",
    HUB_TRUSTED_PROXIES: "10.0.0.0/8,fd00::/8",
    HUB_NOTE: "first\nsecond",
    HUB_EMPTY: "",
    HUB_LAST: "it's",
  });
});

test("A unit that was written by the hub is read back", () => {
  const env = { HUB_DATA_DIR: "/var/lib/my hub", HUB_X: '100% "a\\b"' };
  const unit = {
    head: [],
    exec: "/usr/bin/hub serve",
    user: "hub",
    env,
    envFile: "-/etc/hub/hub.env",
  };
  expect(readUnit(toUnitText(unit))).toEqual({
    env,
    files: [{ path: "/etc/hub/hub.env", isOptional: true }],
    hasDynamicUser: false,
  });
  expect(readUnit(toUnitText({ ...unit, user: "dynamic" })).hasDynamicUser).toBeTrue();
});

test("Lines of a unit that was written by hand are read in their order", () => {
  const text = [
    "Environment=A=1 'B=two words' \\",
    "  C=3",
    "EnvironmentFile=/etc/one",
    "Environment=A=4",
    "EnvironmentFile=/etc/two",
    "[Install]",
  ].join("\n");
  expect(readUnit(text)).toEqual({
    env: { A: "4", B: "two words", C: "3" },
    files: [
      { path: "/etc/one", isOptional: false },
      { path: "/etc/two", isOptional: false },
    ],
    hasDynamicUser: false,
  });
  expect(readUnit(`${text}\nEnvironment=\nEnvironmentFile=`)).toMatchObject({ env: {}, files: [] });
});

test("The units of a timer of backups run as the hub's user, in its data folder, with its settings", () => {
  const machine = {
    platform: "linux" as const,
    isSystem: true,
    home: "/root",
    configHome: "/root/.config",
    self: ["/usr/bin/hub"],
    env: {},
    dataDir: null,
  };
  expect(planService(machine).more).toEqual([]);
  const { more, start, timerFiles } = planService({ ...machine, hasBackups: true });
  expect(more.map(({ file }) => file)).toEqual([...timerFiles]);
  expect(start.at(-1)).toEqual(["systemctl", "enable", "--now", "hub-backup.timer"]);
  const [service = "", timer = ""] = more.map(({ text }) => text);
  expect(service).toContain("\nExecStart=/usr/bin/hub backup --keep 14 /var/lib/hub/backups\n");
  for (const line of [
    "Type=oneshot",
    "User=hub",
    "StateDirectoryMode=0700",
    "ProtectSystem=strict",
    "UMask=0077",
  ]) {
    expect(service.split("\n")).toContain(line);
  }
  expect(readUnit(service)).toMatchObject({
    env: { HUB_DATA_DIR: "/var/lib/hub" },
    files: [{ path: "/etc/hub/hub.env", isOptional: true }],
  });
  expect(timer).toContain("OnCalendar=daily");
  expect(timer).toContain("Persistent=yes");
  const ofUser = toBackupUnitTexts({
    head: [],
    exec: "hub backup",
    user: null,
    envFile: "-x",
    env: {},
  });
  expect(ofUser.service).not.toContain("User=");
  expect(() =>
    planService({ ...machine, platform: "darwin", isSystem: false, hasBackups: true }),
  ).toThrow("cron");
});
