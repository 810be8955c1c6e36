import { join } from "node:path";
import { isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import * as sdk1 from "./connect-sdk-1.ts";
import * as sdk2 from "./connect-sdk-2.ts";
import { openAuthorFolder } from "./make-plugin.ts";
import type { TestClient } from "./mcp-client.ts";
import { type RunningHub, startHub, type TestUser } from "./start-hub.ts";
import { writeFixture } from "./write-fixture.ts";

export const rowSecret = 'row "secret" <&> 9fK2xQ7vLm4R';

/** A hub with the fixture connector, compiled in or as a plugin of either form. */
export type ParityHub = {
  place: "compiled in" | "as a standalone plugin" | "as a thin plugin";
  hub: RunningHub;
  rowId: string;
  /** A user who shares a tag with the row. */
  user: TestUser;
  /** The user's official clients, one for each protocol mode. */
  clients: Record<ProtocolMode, TestClient>;
  /** A client of an admin. */
  admin: TestClient;
  /** A client of a user who sees no rows. */
  stranger: TestClient;
};

export type ProtocolMode = "session" | "stateless";

export const modes: readonly ProtocolMode[] = ["session", "stateless"];

const support = import.meta.dirname;
const env = { HUB_RESULT_BYTES_MAX: "20000", HUB_LOG_LEVEL: "info" };

/**
 * Starts three hubs: one with the connector compiled in, and one with it as each form of plugin. `.ci/run` leaves the standalone
 * form out, which differs from a thin plugin only in what starts the program.
 */
export async function openParityHubs(owned: AsyncDisposableStack): Promise<ParityHub[]> {
  const author = owned.use(await openAuthorFolder());
  await writeFixture(author.path, "fixture");
  // At night it is compiled, into 100 MiB.
  const isWhole = process.env.HUB_TEST_WHOLE_BUILDS === "1";
  const thin = await author.build("fixture", "--thin");
  const compiledIn = owned.use(await startHub({ env, main: join(support, "fixture-hub.ts") }));
  const openHost = async (archive: string) => {
    const host = owned.use(await startHub({ env }));
    await host.cli("plugin", "install", archive);
    return host;
  };
  const all = [
    await addRowAndClients(owned, compiledIn, "compiled in"),
    await addRowAndClients(owned, await openHost(thin), "as a thin plugin"),
  ];
  if (!isWholeAmount) return all;
  const standalone = await (isWhole ? author.build("fixture") : author.buildScript("fixture"));
  return [
    ...all,
    await addRowAndClients(owned, await openHost(standalone), "as a standalone plugin"),
  ];
}

async function addRowAndClients(
  owned: AsyncDisposableStack,
  hub: RunningHub,
  place: ParityHub["place"],
): Promise<ParityHub> {
  const added = await hub.tryCli(
    ["row", "add", "fixture", "--label", "Laboratory", "--tag", "lab", "--json"].concat([
      "--secret-env",
      "secret=SECRET",
    ]),
    { env: { SECRET: rowSecret } },
  );
  const user = await hub.addUser("ada@example.com", { tags: ["lab"] });
  const stranger = await hub.addUser("eve@example.com", { tags: ["elsewhere"] });
  return {
    place,
    hub,
    rowId: added.json<{ id: string }>().id,
    user,
    clients: {
      session: owned.use(await sdk1.connectHttp(hub.url, user.token)),
      stateless: owned.use(await sdk2.connectHttp(hub.url, user.token)),
    },
    admin: owned.use(await sdk2.connectHttp(hub.url, hub.adminToken())),
    stranger: owned.use(await sdk2.connectHttp(hub.url, stranger.token)),
  };
}
