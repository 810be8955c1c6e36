import { type ConnectorDefinition, defineConnector, wick } from "@hub/connector";

const verbs = ["Create", "List", "Delete", "Update", "Archive"] as const;
const things = [
  "invoice",
  "ticket",
  "shipment",
  "contract",
  "refund",
  "webhook",
  "member",
  "report",
  "deployment",
  "campaign",
] as const;
const qualities = ["overdue", "shared", "regional", "internal", "scheduled", "signed", "external"];
const operationsOfEach = verbs.length * things.length;
const connectorCount = 200;

/** The tools of one row of each of these connectors. */
export const variedTools = connectorCount * operationsOfEach;

export const variedKeys: readonly string[] = Array.from(
  { length: connectorCount },
  (_, index) => `varied_${index}`,
);

/** Connectors of which no two share an operation's text, as with many different services. */
export function defineVaried(): ConnectorDefinition[] {
  return variedKeys.map((key, index) =>
    defineConnector({
      key,
      name: `Service ${index}`,
      icon: "gauge",
      tier: "plugin",
      description: `The service number ${index}.`,
      config: {},
      operations: Object.fromEntries(
        things.flatMap((thing, at) =>
          verbs.map((verb) => toOperation(verb, thing, index * 7 + at)),
        ),
      ),
    }),
  );
}

function toOperation(verb: string, thing: string, number: number) {
  const quality = qualities[number % qualities.length];
  const operation = {
    description: `${verb} one ${quality} ${thing} of account ${number}, with its history and owner.`,
    input: { Account: wick("required"), [`${thing}Id`]: wick("desc=Its number") },
    run: () => null,
  };
  return [`${verb.toLowerCase()}_${thing}_${number}`, operation] as const;
}
