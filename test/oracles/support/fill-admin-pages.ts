import type { RunningHub } from "../../support/start-hub.ts";

/** Markup that would run in a page that does not escape it. It sets `window.attacked`. */
export const attack = `"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>`;

/** `adminId` is the signed-in admin, whose page lists browsers with their user agents. */
export type Filled = { token: string; adaId: string; bothId: string; adminId: string };

type Json = Record<string, unknown>;

/** Sends a request to the management API with a token of the first admin. */
export async function callApi<T = Json>(
  base: string,
  token: string,
  route: string,
  body?: unknown,
): Promise<T> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "user-agent": attack,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  // The shape is that of the documented answer.
  return (await response.json()) as T;
}

/** Fills a hub with users, rows, tags, tokens and changes, with hostile texts where texts are free. */
export async function fillAdminPages(hub: RunningHub, base: string): Promise<Filled> {
  const token = await hub.makeManageToken();
  const api = <T = Json>(route: string, body?: unknown) => callApi<T>(base, token, route, body);
  const row = (label: string, tags: string[]) =>
    api("POST /manager/api/rows", { connector: "http", label, tags });
  await row("Production logs", ["operations", "on-call"]);
  await row("Staging logs", ["operations"]);
  await row("Code host", ["engineering"]);
  await row(attack.slice(0, 90), ["engineering"]);
  const user = (email: string, name: string, tags: string[]) =>
    api<{ id: string }>("POST /admin/api/users", { email, name, tags });
  const ada = await user("ada@example.com", "Ada Lovelace", ["operations"]);
  const both = await user("grace@example.com", "Grace Hopper", ["engineering"]);
  await user("ben@example.com", "Ben", ["engineering", "on-call"]);
  const hostile = await user("<svg/onload=window.attacked=1>@example.com", attack, []);
  await api(`POST /admin/api/users/${hostile.id}/disable`);
  await hub.cli("token", "create", "--user", "ada@example.com", "--name", attack.slice(0, 60));
  await hub.cli("token", "create", "--user", "ada@example.com", "--name", "Laptop");
  await api(`PATCH /admin/api/users/${ada.id}`, { name: "Ada, Countess of Lovelace" });
  const cloud = ["--kind", "aws", "--set", "region=eu-central-1", "--set", "auth=chain"];
  await hub.cli("secret-source", "add", attack.slice(0, 90), ...cloud, "--prefix", "apps/hub");
  await hub.cli(
    ...["secret-reference", "add", attack.slice(0, 80), "--source", attack.slice(0, 90)],
    ...["--path", "apps/hub/tracker", "--to-host", "api.example.com", "--row", "Production logs"],
    ...["--address", "built-in http", "--address", 'the host of "http"'],
  );
  const { user: admin } = await api<{ user: { id: string } }>("GET /profile/api/me");
  return { token, adaId: ada.id, bothId: both.id, adminId: admin.id };
}
