import { afterAll, beforeAll, describe } from "bun:test";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import { amount } from "../lib/testing/amount.ts";
import { describeConnector } from "./plugin-connector.testsuite.ts";
import { type BuiltFixture, buildFixture } from "./testing/build-fixture.ts";
import { fixtureConnector } from "./testing/fixture-connector.ts";
import { openTestProcesses, toInstalled } from "./testing/open-test-processes.ts";

describeConnector("compiled in", () => createLocalConnector(fixtureConnector, () => ({})));

// A thin one differs in its start, which `process/thin-start.test.ts` shows.
describe.each(
  amount<readonly ("standalone" | "thin")[]>(["standalone"], ["standalone", "thin"]),
)("as a %s plugin", (form) => {
  let fixture: BuiltFixture;
  let processes: ReturnType<typeof openTestProcesses>;
  let connector: RegisteredConnector;

  beforeAll(() => {
    fixture = buildFixture("fixture-plugin.ts", form);
    processes = openTestProcesses();
    connector = processes.toConnector(toInstalled(fixture));
  });
  afterAll(async () => {
    await processes.close();
    fixture.remove();
  });

  describeConnector("in a process of its own", () => connector);
});
