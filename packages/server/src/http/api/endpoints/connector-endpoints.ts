import {
  absentConnectorSchema,
  connectorTypeDetailSchema,
  listedConnectorTypeSchema,
} from "@hub/contract/connector-type.ts";
import { z } from "zod";
import * as types from "../../../services/connectors/connector-types.ts";
import { defineEndpoint } from "../endpoint.ts";

const byKey = z.object({
  key: z.string().meta({ description: "Key of a connector, such as `http`." }),
});

/** The state after enabling or disabling a connector type. */
const disabledTypeSchema = z.object({ disabled_type: z.boolean() });

export const listConnectors = defineEndpoint({
  name: "listConnectors",
  summary: "List the connectors",
  description:
    "Admins get every connector of the hub. Other users get the connectors of the rows that they see. `rows` counts the rows that the caller sees.",
  answer: z.object({
    connectors: z.array(listedConnectorTypeSchema),
    absent: z.array(absentConnectorSchema).meta({
      description:
        "Keys of rows that the caller sees and whose connector is not there, such as that of a plugin that was uninstalled.",
    }),
  }),
  handle: ({ services, caller }) => types.listVisibleTypes(services, caller),
});

export const showConnector = defineEndpoint({
  name: "showConnector",
  summary: "Show a connector with its fields and operations",
  params: byKey,
  answer: connectorTypeDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) => types.viewType(services, caller, params.key),
});

export const disableType = defineEndpoint({
  name: "disableType",
  needsSpace: false,
  summary: "Disable a connector type: all its rows and operations",
  params: byKey,
  answer: disabledTypeSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => types.disableType(services, actor, params.key),
});

export const enableType = defineEndpoint({
  name: "enableType",
  summary: "Enable a connector type",
  params: byKey,
  answer: disabledTypeSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => types.enableType(services, actor, params.key),
});
