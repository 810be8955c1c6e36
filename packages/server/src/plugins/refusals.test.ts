import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createSign, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { link, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import type { HubError } from "../errors.ts";
import { amount } from "../lib/testing/amount.ts";
import { defaultInstallLimits } from "./install/install-limits.ts";
import { checkUnchanged } from "./installed/check-unchanged.ts";
import type { PluginTrust } from "./plugin-trust.ts";
import { craftPlugin, toMembers } from "./testing/craft-plugin.ts";
import { craftTar, type TarMember } from "./testing/craft-tar.ts";
import { craftZip } from "./testing/craft-zip.ts";
import { findFailure } from "./testing/find-failure.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";
import type { PluginCheck } from "./verify/refuse-plugin.ts";

const signer = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("ed25519");
const cosign = generateKeyPairSync("ec", { namedCurve: "P-256" });

type Bench = Awaited<ReturnType<typeof openPluginBench>>;
let bench: Bench;

beforeEach(async () => {
  bench = await openPluginBench();
});
afterEach(() => bench.close());

/** Expects that this check refuses the installation, and that nothing is registered or written. */
async function expectRefused(
  check: PluginCheck,
  install: () => Promise<unknown>,
): Promise<HubError & { detail: Record<string, unknown> }> {
  const before = await bench.listFiles();
  const refusal = await install().then(
    () => {
      throw new Error("it was installed");
    },
    (thrown) => thrown,
  );
  expect(refusal).toMatchObject({ code: "plugin_refused", detail: { check } });
  for (const name of ["plugin", "expected", "found"]) {
    expect(refusal.message).toContain(refusal.detail[name]);
  }
  expect(await bench.listFiles()).toEqual(before);
  expect(bench.registry.list()).toEqual([]);
  return refusal;
}

async function openTrusting(trust: Partial<PluginTrust>): Promise<void> {
  await bench.close();
  bench = await openPluginBench({ trust });
}

const good = () => toMembers(craftPlugin());
const installMembers = async (members: ReturnType<typeof good>) =>
  bench.install(await bench.writeZip(members));
const installWith = (manifest: Partial<PluginManifest>) =>
  bench.installCrafted(craftPlugin({ manifest }));

describe("a manifest's content", () => {
  test("A program with another hash is refused", async () => {
    const plugin = craftPlugin();
    await expectRefused("sha256", () =>
      bench.installCrafted({ ...plugin, program: "another program" }),
    );
  });

  test("A build for another operating system is refused", () =>
    expectRefused("platform", () => installWith({ os_arch: ["windows/amd64"] })));

  test("A build for another processor is refused", () =>
    expectRefused("platform", () => installWith({ os_arch: ["linux/arm64"] })));

  test("An unknown protocol version is refused", () =>
    expectRefused("protocol", () => installWith({ proto_version: 3 })));

  test("The key of a built-in connector is refused (trap 26)", () =>
    expectRefused("key", () => bench.installCrafted(craftPlugin({ key: "http" }))));

  test.each([
    "http",
    "hub",
    "hub_slack",
    "hub_x",
  ])("The refusal of the key %s has the reserved keys", async (key) => {
    const failure = await findFailure(bench.installCrafted(craftPlugin({ key })));
    expect(failure).toMatchObject({ code: "plugin_refused", detail: { check: "key" } });
    expect(String(failure)).toContain("Reserved are http, hub, and all that begin with hub_.");
  });

  test("A key that is not the folder's name is refused and reported by the scan", async () => {
    await bench.installCrafted(craftPlugin());
    await symlink(
      (await bench.host.find("tracker")).plugin?.dir ?? "",
      join(bench.dataDir, "plugins", "other"),
    );
    const other = await bench.host.find("other");
    expect(other).toMatchObject({ plugin: null, problem: expect.stringContaining("(check: key)") });
    expect(bench.registry.find("other")).toBeNull();
  });

  for (const entry of ["../tracker", "/bin/sh", "a/b", "..", "C:\\x", "a\\b", ".hidden"]) {
    test(`The entry ${JSON.stringify(entry)} is refused`, () =>
      expectRefused("manifest", async () => {
        const [manifest] = toMembers(craftPlugin({ manifest: { entry } }));
        return installMembers([manifest ?? never(), { name: "tracker", content: "x" }]);
      }));
  }

  for (const text of ["", "{", "[]", "null", '{"schema_version":2}', "\xff\xfe"]) {
    test(`The manifest ${JSON.stringify(text)} is refused`, () =>
      expectRefused("manifest", () =>
        installMembers([
          { name: "plugin.json", content: Buffer.from(text, "latin1") },
          { name: "tracker", content: "x" },
        ]),
      ));
  }

  const { module } = craftPlugin().manifest;
  const faults: [string, Record<string, unknown>, string][] = [
    [
      "a missing version",
      { version: undefined },
      'no `version`, which must be text such as "1.2.0"',
    ],
    [
      "a version of spaces",
      { version: "1 0" },
      'an invalid `version`, which must be text such as "1.2.0"',
    ],
    ["another kind", { kind: "theme" }, 'an invalid `kind`, which must be "connector" or omitted'],
    [
      "one platform as text",
      { os_arch: "linux/amd64" },
      'an invalid `os_arch`, which must be a list such as ["linux/amd64"]',
    ],
    [
      "a bad platform",
      { os_arch: ["Linux"] },
      'an invalid `os_arch`, which must be a list such as ["linux/amd64"]',
    ],
    ["no module", { module: undefined }, "no `module`, which must be an object"],
    [
      "a key with a hyphen",
      { module: { Meta: { Key: "a-b" } } },
      "an invalid `module.Meta.Key`, which must be 1 to 64 characters of a-z, 0-9 and _",
    ],
    [
      "a tag without a name",
      { module: { ...module, Meta: { Key: "a", DefaultTags: [{}] } } },
      'an invalid `module.Meta.DefaultTags`, which must be a list such as [{"Name": "…"}]',
    ],
  ];
  test.each(
    faults,
  )("A manifest with %s is refused with a sentence that names the member", async (_, change, words) => {
    const manifest = JSON.stringify({ ...craftPlugin().manifest, ...change });
    const failure = await findFailure(
      installMembers([
        { name: "plugin.json", content: manifest },
        { name: "tracker", content: "program of tracker" },
      ]),
    );
    expect(failure).toMatchObject({ code: "plugin_refused" });
    expect(String(failure)).toContain(
      `Expected a valid plugin.json; found ${words}. Build the plugin`,
    );
  });

  test("A manifest without a kind is accepted as a connector", async () => {
    const { manifest, ...rest } = craftPlugin();
    const { kind: _, ...kindless } = manifest;
    expect(await bench.installCrafted({ ...rest, manifest: kindless })).toMatchObject({
      key: "tracker",
      problem: null,
    });
  });

  test("An archive without its program is refused", () =>
    expectRefused("program", () => installMembers(good().slice(0, 1))));
});

describe("members with a path outside the folder (trap 24)", () => {
  const paths = ["../evil", "a/../../evil", "/tmp/evil", "..\\evil", "C:/evil", "a//b", "./../x"];
  for (const name of paths) {
    test(`A zip member called ${JSON.stringify(name)} is refused`, () =>
      expectRefused("archive", () => installMembers([...good(), { name, content: "x" }])));

    test(`A tar member called ${JSON.stringify(name)} is refused`, () =>
      expectRefused("archive", async () => installTar([{ header: { name }, content: "x" }])));
  }

  test("A symbolic link in a zip is refused", () =>
    expectRefused("archive", () =>
      installMembers([...good(), { name: "link", content: "/etc/passwd", mode: 0o120777 }]),
    ));

  for (const type of ["symlink", "link", "fifo", "character-device"] as const) {
    test(`A ${type} in a tar is refused`, () =>
      expectRefused("archive", async () =>
        installTar([{ header: { name: "link", type, linkname: "/etc/passwd" } }]),
      ));
  }

  test("A link in place of the program in a folder is refused", async () => {
    const plugin = craftPlugin();
    const folder = await bench.writeFolder({ ...plugin, program: "" });
    await Bun.file(join(folder, "tracker")).delete();
    await symlink("/bin/true", join(folder, "tracker"));
    await expectRefused("program", () => bench.install(folder));
  });

  test("An archive with a duplicate member is refused", () =>
    expectRefused("archive", () => installMembers([...good(), ...good()])));
});

test("By default an archive may have 512 MiB, 100 members, 1 GiB unpacked, and 15 minutes to download", () => {
  const mebibyte = 1_048_576;
  expect(defaultInstallLimits).toEqual({
    archiveBytesMax: 512 * mebibyte,
    membersMax: 100,
    memberBytesMax: 512 * mebibyte,
    totalBytesMax: 1024 * mebibyte,
    expansionMax: 100,
    downloadMsMax: 900_000,
  });
});

describe("archives that cost too much (trap 24)", () => {
  const limits = {
    ...defaultInstallLimits,
    membersMax: 5,
    memberBytesMax: 3e6,
    totalBytesMax: 4e6,
  };
  beforeEach(async () => {
    await bench.close();
    bench = await openPluginBench({ limits });
  });

  const zeros = (name: string, bytes: number) => ({ name, content: Buffer.alloc(bytes) });
  const noise = (name: string, bytes: number) => ({
    name,
    content: randomBytes(bytes),
  });

  test("A member above the size limit is refused", () =>
    expectRefused("archive", () => installMembers([...good(), zeros("big", 3e6 + 1)])));

  test("An archive above the unpacked limit is refused", () =>
    expectRefused("archive", () =>
      installMembers([...good(), noise("a", 2.5e6), noise("b", 2.5e6)]),
    ));

  test("An archive with too many members is refused", () =>
    expectRefused("archive", () =>
      installMembers([...good(), ...["a", "b", "c", "d"].map((name) => zeros(name, 1))]),
    ));

  test("A zip with too high a compression ratio is refused", () =>
    expectRefused("archive", () => installMembers([...good(), zeros("bomb", 2.9e6)])));

  test("A tar with too high a compression ratio is refused", () =>
    expectRefused("archive", () =>
      installTar([{ header: { name: "bomb" }, content: "0".repeat(2.9e6) }]),
    ));

  test("An archive above the size limit is refused", async () => {
    bench = await reopen({ limits: { ...limits, archiveBytesMax: 100 } });
    await expectRefused("archive", () => installMembers(good()));
  });

  test("A truncated zip is refused, wherever it was cut", async () => {
    const whole = craftZip(good());
    for (const length of [5, 40, 300, whole.length - 30, whole.length - 1]) {
      const path = await bench.writeSource("cut.zip", whole.subarray(0, length));
      await expectRefused("archive", () => bench.install(path));
    }
  });

  test("A truncated tar is refused", async () => {
    const whole = await craftTar(toTarMembers());
    for (const length of [5, 40, whole.length - 30, whole.length - 1]) {
      const path = await bench.writeSource("cut.tar.gz", whole.subarray(0, length));
      await expectRefused("archive", () => bench.install(path));
    }
  });

  test("A file that is not an archive is refused", async () => {
    const path = await bench.writeSource("plugin.zip", "#!/bin/sh\n");
    await expectRefused("archive", () => bench.install(path));
  });
});

describe("signatures", () => {
  const trusted = { publicKeys: [signer.publicKey] };
  const signed = (choices = {}) => craftPlugin({ signKey: signer.privateKey, ...choices });

  test("With a trusted key its plugin is accepted as signed", async () => {
    await openTrusting(trusted);
    expect(await bench.installCrafted(signed())).toMatchObject({ plugin: { signature: "signed" } });
    expect(bench.registry.find("tracker")?.name).toBe("Tracker");
  });

  test("With a trusted key an unsigned plugin is refused", async () => {
    await openTrusting(trusted);
    await expectRefused("signature", () => bench.installCrafted(craftPlugin()));
  });

  test("With a trusted key another key's signature is refused", async () => {
    await openTrusting(trusted);
    const plugin = craftPlugin({ signKey: stranger.privateKey });
    await expectRefused("signature", () => bench.installCrafted(plugin));
  });

  test("The signature of another plugin is refused", async () => {
    await openTrusting(trusted);
    const plugin = signed();
    plugin.manifest.signature = signed({ key: "other" }).manifest.signature ?? "";
    await expectRefused("signature", () => bench.installCrafted(plugin));
  });

  test("The signature covers every member of the manifest (trap 23)", async () => {
    await openTrusting(trusted);
    const changes: Array<(manifest: PluginManifest) => void> = [
      (manifest) => (manifest.version = "9.0.0"),
      (manifest) => (manifest.os_arch = ["linux/amd64", "linux/arm64"]),
      (manifest) => (manifest.proto_version = 1),
      (manifest) => (manifest.entry = ""),
      (manifest) => (manifest.module.Meta.Description = "Another."),
      (manifest) => (manifest.module.Operations = [{}]),
      (manifest) => Object.assign(manifest, { unknown: 1 }),
      (manifest) => Object.assign(manifest.module.Meta, { Fixed: true }),
    ];
    for (const change of changes) {
      const plugin = signed();
      change(plugin.manifest);
      await expectRefused("signature", () => bench.installCrafted(plugin));
    }
  });

  test("The signature covers every byte of the manifest (trap 23)", async () => {
    await openTrusting(trusted);
    const plugin = signed();
    const [manifest = never(), program = never()] = toMembers(plugin);
    const bytes = Buffer.from(String(manifest.content));
    for (let at = 0; at < bytes.length; at += amount(29, 1)) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const members = [{ ...manifest, content: changed }, program];
      const failure = await bench.install(await bench.writeZip(members)).catch((err) => err);
      expect(failure, changed.toString()).toMatchObject({ code: "plugin_refused" });
    }
    expect(bench.registry.list()).toEqual([]);
  }, 180_000);

  test("REQUIRE_SIGNATURE=0 accepts unsigned plugins and refuses invalid signatures", async () => {
    await openTrusting({ ...trusted, requireSignature: false });
    const wrong = craftPlugin({ signKey: stranger.privateKey });
    await expectRefused("signature", () => bench.installCrafted(wrong));
    const { plugin } = await bench.installCrafted(craftPlugin());
    expect(plugin?.signature).toBe("unsigned");
  });

  test("REQUIRE_SIGNATURE=1 without a key refuses all plugins", async () => {
    await openTrusting({ requireSignature: true });
    await expectRefused("signature", () => bench.installCrafted(craftPlugin()));
    await expectRefused("signature", () => bench.installCrafted(signed()));
  });

  test("Without a key a signed plugin is unchecked and another one unsigned", async () => {
    const first = await bench.installCrafted(signed());
    expect(first.plugin?.signature).toBe("unchecked");
    const second = await bench.installCrafted(craftPlugin());
    expect(second.plugin?.signature).toBe("unsigned");
  });

  /** The form of existing plugins: a signature over the hash only. */
  const signedBinary = (proto: number, key: KeyObject = signer.privateKey) => {
    const plugin = craftPlugin({ manifest: { proto_version: proto } });
    plugin.manifest.signature = sign(null, Buffer.from(plugin.manifest.sha256), key).toString(
      "base64",
    );
    return plugin;
  };

  test("A signature over only the hash is not accepted", async () => {
    await openTrusting(trusted);
    await expectRefused("signature", () => bench.installCrafted(signedBinary(1)));
  });

  test("If allowed, a signature over only the hash is accepted for version 1 and not for version 2", async () => {
    await openTrusting({ ...trusted, allowBinarySignatures: true });
    await expectRefused("signature", () => bench.installCrafted(signedBinary(2)));
    await expectRefused("signature", () =>
      bench.installCrafted(signedBinary(1, stranger.privateKey)),
    );
    const { plugin } = await bench.installCrafted(signedBinary(1));
    expect(plugin?.signature).toBe("binary-only");
  });
});

describe("cosign (trap 31)", () => {
  const withSignature = (content: string) => [...good(), { name: "tracker.sig", content }];
  const signProgram = (text: string, key: KeyObject = cosign.privateKey) =>
    createSign("sha256").update(text).sign(key).toString("base64");

  beforeEach(() => openTrusting({ cosignKey: cosign.publicKey }));

  test("A program without a cosign signature is refused", () =>
    expectRefused("cosign", () => installMembers(good())));

  test("The cosign signature of another program is refused", () =>
    expectRefused("cosign", () => installMembers(withSignature(signProgram("another")))));

  test("Another key's cosign signature is refused", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const wrong = signProgram("program of tracker", privateKey);
    await expectRefused("cosign", () => installMembers(withSignature(wrong)));
  });

  test("Invalid text as a cosign signature is refused", () =>
    expectRefused("cosign", () => installMembers(withSignature("not base64!"))));

  test("A valid cosign signature is accepted", async () => {
    const state = await installMembers(withSignature(`${signProgram("program of tracker")}\n`));
    expect(state.problem).toBeNull();
  });
});

test("An older version is refused, and the installed one stays (trap 23)", async () => {
  await installWith({ version: "1.10.0" });
  const refusal = await installWith({ version: "1.9.0" }).catch((err) => err);
  expect(refusal).toMatchObject({ detail: { check: "version", found: "1.9.0" } });
  expect((await bench.host.find("tracker")).plugin?.version).toBe("1.10.0");
  const older = craftPlugin({ manifest: { version: "1.9.0" } });
  await bench.installCrafted(older, { allowDowngrade: true });
  expect((await bench.host.find("tracker")).plugin?.version).toBe("1.9.0");
});

test("A failed update leaves the installed version unchanged (trap 25)", async () => {
  await bench.installCrafted(craftPlugin());
  const before = await bench.listFiles();
  const broken = { ...craftPlugin({ manifest: { version: "2.0.0" } }), program: "other" };
  await expect(bench.installCrafted(broken)).rejects.toMatchObject({ code: "plugin_refused" });
  expect(await bench.listFiles()).toEqual(before);
  expect(bench.registry.find("tracker")).not.toBeNull();
});

describe("a program that is replaced after its verification (trap 25)", () => {
  test("A replaced program is not run and no longer registered", async () => {
    const { plugin } = await bench.installCrafted(craftPlugin());
    if (plugin === null) return never();
    const installed = { ...plugin, enabled: true, problem: null };
    await checkUnchanged(installed);
    await writeFile(plugin.binaryPath, "program of trackeX");
    await expect(checkUnchanged(installed)).rejects.toMatchObject({ detail: { check: "sha256" } });
    expect((await bench.host.find("tracker")).problem).toContain("(check: sha256)");
    await bench.host.sync();
    expect(bench.registry.find("tracker")).toBeNull();
  });

  test("A program replaced by a link is not run", async () => {
    const { plugin } = await bench.installCrafted(craftPlugin());
    if (plugin === null) return never();
    await Bun.file(plugin.binaryPath).delete();
    await symlink("/bin/true", plugin.binaryPath);
    await expect(checkUnchanged({ ...plugin, enabled: true, problem: null })).rejects.toMatchObject(
      {
        detail: { check: "program" },
      },
    );
  });

  test("A restored program is run again", async () => {
    const { plugin } = await bench.installCrafted(craftPlugin());
    if (plugin === null) return never();
    await writeFile(plugin.binaryPath, "program of tracker");
    await link(plugin.binaryPath, join(bench.folder, "another-name"));
    await checkUnchanged({ ...plugin, enabled: true, problem: null });
  });
});

function toTarMembers(): TarMember[] {
  return good().map(({ name, content }) => ({ header: { name }, content: String(content) }));
}

async function installTar(members: TarMember[]) {
  const bytes = await craftTar([...toTarMembers(), ...members]);
  return await bench.install(await bench.writeSource("plugin.tar.gz", bytes));
}

async function reopen(options: Parameters<typeof openPluginBench>[0]): Promise<Bench> {
  await bench.close();
  return await openPluginBench(options);
}

function never(): never {
  throw new Error("the fixture lacks something");
}
