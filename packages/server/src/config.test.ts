import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, toFlag, toVariable } from "./config.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hub-config-"));
  folders.push(folder);
  return folder;
}

const elsewhere = { cwd: "/", env: { HOME: "/home/ada" } };

describe("the values of settings", () => {
  test("Without any setting, the hub listens on this machine only", () => {
    const { config, warnings } = loadConfig(elsewhere);
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 7420,
      baseUrl: null,
      logLevel: "info",
      encDisable: false,
      rowTokens: "bound",
      mcpSessions: "adopt",
      resultBytesMax: 1_048_576,
      pluginProcsMax: 8,
      pluginUser: null,
      pluginFence: "auto",
      trustedProxies: [],
      auditRetentionDays: 7,
      outboundAllow: [],
    });
    expect(config.readEncKey()).toBeNull();
    expect(warnings).toEqual([]);
  });

  test("Environment variables set values of the right type", () => {
    const { config } = loadConfig({
      cwd: "/",
      env: {
        HUB_PORT: "0",
        HUB_BASE_URL: "https://hub.example.com/",
        HUB_ENC_DISABLE: "1",
        HUB_OUTBOUND_ALLOW: "intranet.local, 10.0.0.0/8,",
      },
    });
    expect(config.port).toBe(0);
    expect(config.baseUrl).toBe("https://hub.example.com");
    expect(config.encDisable).toBe(true);
    expect(config.outboundAllow).toEqual(["intranet.local", "10.0.0.0/8"]);
  });

  test("A flag overrides the environment, and both override the default", () => {
    const { config } = loadConfig({
      cwd: "/",
      env: { HUB_PORT: "1111", HUB_LOG_LEVEL: "debug" },
      flags: { port: "2222" },
    });
    expect(config.port).toBe(2222);
    const origins = Object.fromEntries(config.settings.map(({ name, origin }) => [name, origin]));
    expect(origins).toMatchObject({
      HUB_PORT: "flag",
      HUB_LOG_LEVEL: "environment",
      HUB_HOST: "default",
    });
  });

  test("An empty variable counts as not set", () => {
    expect(loadConfig({ cwd: "/", env: { HUB_PORT: "" } }).config.port).toBe(7420);
  });

  test("The names of variables and flags follow from the setting's name", () => {
    expect(toVariable("resultBytesMax")).toBe("HUB_RESULT_BYTES_MAX");
    expect(toFlag("resultBytesMax")).toBe("--result-bytes-max");
  });
});

describe("invalid settings", () => {
  test.each([
    ["HUB_PORT", "abc", 'HUB_PORT must be a whole number from 0 to 65535, not "abc".'],
    ["HUB_PORT", "70000", 'HUB_PORT must be a whole number from 0 to 65535, not "70000".'],
    ["HUB_MCP_SESSIONS", "lax", 'HUB_MCP_SESSIONS must be adopt or strict, not "lax".'],
    ["HUB_ENC_DISABLE", "maybe", 'HUB_ENC_DISABLE must be 1 or 0, not "maybe".'],
    ["HUB_OUTBOUND_ALLOW", "10.0.0.0/40", "HUB_OUTBOUND_ALLOW must be a comma-separated list of"],
    ["HUB_WORKFLOW_OUTBOUND_ALLOW", "nas.lan:x", "HUB_WORKFLOW_OUTBOUND_ALLOW must be a comma-"],
    [
      "HUB_EMBEDDINGS_URL",
      "http://models.example/v1",
      "HUB_EMBEDDINGS_URL must be an https address",
    ],
  ])("%s=%s stops the start with a message", (name, text, sentence) => {
    expect(() => loadConfig({ cwd: "/", env: { [name]: text } })).toThrow(sentence);
  });

  test.each([
    "hub.example.com",
    "ftp://hub",
    "https://hub/path",
    "https://u:p@hub",
  ])("%s is refused as a base URL", (text) => {
    expect(() => loadConfig({ cwd: "/", env: { HUB_BASE_URL: text } })).toThrow(
      "HUB_BASE_URL must",
    );
  });

  test("All invalid values are named at once, by the flag if a flag set it", () => {
    const load = () =>
      loadConfig({ cwd: "/", env: { HUB_LOG_LEVEL: "loud" }, flags: { port: "x" } });
    expect(load).toThrow(/--port must.*HUB_LOG_LEVEL must/);
  });

  const postgres = { HUB_DATABASE_URL: "postgres://hub:pg-password@db/hub" };

  test("PostgreSQL without HUB_ENC_KEY is refused with what to do", () => {
    expect(() => loadConfig({ cwd: "/", env: postgres })).toThrow("set HUB_ENC_KEY too");
  });

  test("PostgreSQL with strict sessions is refused", () => {
    const env = { ...postgres, HUB_ENC_KEY: "k", HUB_MCP_SESSIONS: "strict" };
    expect(() => loadConfig({ cwd: "/", env })).toThrow("HUB_MCP_SESSIONS must be adopt");
  });

  test.each([
    "mysql://db/hub",
    "postgres://db",
    "postgres://db/",
    "db/hub",
  ])("The database address %s is refused, and not quoted, because it may hold a password", (url) => {
    const load = () => loadConfig({ cwd: "/", env: { HUB_DATABASE_URL: url } });
    expect(load).toThrow(/^HUB_DATABASE_URL must be an address such as postgres:[^,]*\.$/);
  });

  test("The password of the database is in no printed configuration", () => {
    const { config } = loadConfig({ cwd: "/", env: { ...postgres, HUB_ENC_KEY: "k" } });
    expect(config.readDatabaseUrl()).toBe(postgres.HUB_DATABASE_URL);
    expect(JSON.stringify(config) + Bun.inspect(config)).not.toContain("pg-password");
  });
});

describe("warnings", () => {
  test("A proxy that connectors do not use causes a warning without its address", () => {
    for (const name of ["HTTPS_PROXY", "http_proxy", "ALL_PROXY"]) {
      const env = { [name]: "http://user:pass@proxy.corp:3128" };
      const { warnings } = loadConfig({ cwd: "/", env });
      expect(warnings).toEqual([expect.stringContaining(`${name} is set, but`)]);
      expect(warnings[0]).not.toContain("corp");
    }
    const { warnings } = loadConfig({ cwd: "/", env: { HTTPS_PROXY: "", NO_PROXY: "localhost" } });
    expect(warnings).toEqual([]);
  });

  test("An unknown variable is reported with a similar name", () => {
    const { warnings } = loadConfig({ cwd: "/", env: { HUB_PROT: "1", HUBBUB: "1" } });
    expect(warnings).toEqual(['HUB_PROT is not a setting of the hub. Did you mean "HUB_PORT"?']);
  });

  test("A client's token, as the guides export it, causes no warning", () => {
    expect(loadConfig({ cwd: "/", env: { HUB_TOKEN: "hub_pat_1" } }).warnings).toEqual([]);
  });
});

describe("trusted proxies", () => {
  test("Addresses and networks are accepted as trusted proxies", () => {
    const env = { HUB_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,fd00::/8" };
    expect(loadConfig({ cwd: "/", env }).config.trustedProxies).toEqual([
      "127.0.0.1",
      "10.0.0.0/8",
      "fd00::/8",
    ]);
  });

  test.each([
    "proxy.lan",
    "10.0.0.0/33",
    "10.1/8",
    "10.0.0.0/8/8",
    "*",
    "/8",
  ])("%s stops the start, because an incomplete list would trust the wrong proxies", (entry) => {
    const env = { HUB_TRUSTED_PROXIES: `127.0.0.1,${entry}` };
    expect(() => loadConfig({ cwd: "/", env })).toThrow(
      "HUB_TRUSTED_PROXIES must be a comma-separated list of addresses (10.0.0.7) and networks",
    );
  });
});

test("A refused address is shown without its credentials", () => {
  const load = (url: string) => () =>
    loadConfig({ cwd: "/", env: { HUB_EMBEDDINGS_URL: url, HUB_EMBEDDINGS_MODEL: "m" } });
  expect(load("https://ada:s3cret@models.example/v1")).toThrow('not "https://…@models.example/v1"');
  expect(load("https://models.example/v1?key=s3cret&v=2")).toThrow(
    'not "https://models.example/v1?key=…&v=…"',
  );
});

describe("the data folder", () => {
  test("Inside a project, the data folder is .hub beside the nearest package.json", () => {
    const project = makeFolder();
    writeFileSync(join(project, "package.json"), "{}");
    mkdirSync(join(project, "src", "deep"), { recursive: true });
    const { config } = loadConfig({ cwd: join(project, "src", "deep"), env: {} });
    expect(config.dataDir).toBe(join(project, ".hub"));
  });

  test("Outside a project the data folder is in the user's data folder", () => {
    const { config } = loadConfig({ cwd: "/", env: { HOME: "/home/ada", XDG_DATA_HOME: "/data" } });
    expect(config.dataDir).toContain("hub");
    expect(config.dataDir.startsWith("/data") || config.dataDir.startsWith("/home/ada")).toBe(true);
  });

  test("A relative HUB_DATA_DIR is resolved against the working folder", () => {
    const { config } = loadConfig({ cwd: "/srv", env: { HUB_DATA_DIR: "state" } });
    expect(config.dataDir).toBe("/srv/state");
  });
});

describe("single sign-on", () => {
  const given = {
    HUB_OIDC_ISSUER: "https://id.example.com/realms/staff",
    HUB_OIDC_CLIENT_ID: "hub",
  };

  test("Single sign-on needs an issuer and a client id, accepts domains, and makes new users pending", () => {
    const env = { ...given, HUB_OIDC_ALLOWED_DOMAINS: "Example.com, example.org" };
    expect(loadConfig({ cwd: "/", env }).config).toMatchObject({
      oidcIssuer: "https://id.example.com/realms/staff",
      oidcClientId: "hub",
      oidcAllowedDomains: ["example.com", "example.org"],
      oidcNewUsers: "pending",
      oidcTrustEmail: false,
    });
  });

  test.each([
    "http://id.example.com",
    "https://id.example.com/.well-known/openid-configuration",
    "https://user@id.example.com",
    "id.example.com",
  ])("The issuer %s stops the start", (issuer) => {
    const env = { ...given, HUB_OIDC_ISSUER: issuer };
    expect(() => loadConfig({ cwd: "/", env })).toThrow("HUB_OIDC_ISSUER must be the issuer's");
  });

  test.each(Object.keys(given))("%s without the other setting stops the start", (name) => {
    const env = { [name]: Object(given)[name] };
    expect(() => loadConfig({ cwd: "/", env })).toThrow("needs both");
  });

  test("Printing the configuration does not show the client secret", () => {
    const env = { ...given, HUB_OIDC_CLIENT_SECRET: "correct-horse" };
    const { config } = loadConfig({ cwd: "/", env });
    expect(config.readOidcClientSecret()).toBe("correct-horse");
    expect(JSON.stringify(config) + Bun.inspect(config)).not.toContain("correct-horse");
  });
});

test("Printing the configuration does not show the master key", () => {
  const { config } = loadConfig({ cwd: "/", env: { HUB_ENC_KEY: "0011223344556677" } });
  expect(config.readEncKey()).toBe("0011223344556677");
  expect(JSON.stringify(config) + Bun.inspect(config)).not.toContain("0011223344556677");
  expect(config.settings.find(({ name }) => name === "HUB_ENC_KEY")).toMatchObject({
    value: "[secret]",
    origin: "environment",
  });
});
