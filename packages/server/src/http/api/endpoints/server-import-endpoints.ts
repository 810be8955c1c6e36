import { importPlanSchema, importReportSchema } from "@hub/contract/server-import.ts";
import { z } from "zod";
import { peopleMax } from "../../../services/rows/access/set-access.ts";
import { defineEndpoint } from "../endpoint.ts";

const fileSchema = z.strictObject({
  text: z.string().meta({ description: "The text of the file: JSON, with comments, or TOML." }),
  file: z.string().max(200).default("The file").meta({
    description: "Its name, for messages. A name that ends with .toml is TOML.",
  }),
});

export const planImport = defineEndpoint({
  name: "planImport",
  needsSpace: false,
  summary: "Show the MCP servers in a client's file",
  description:
    "For files of Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI, opencode and Zed. Nothing is made.",
  body: fileSchema,
  answer: importPlanSchema,
  failures: ["bad_request"],
  async handle({ services, body }) {
    const imports = await import("../../../services/rows/imports/plan-import.ts");
    return await imports.planImport(services, body);
  },
});

export const importServers = defineEndpoint({
  name: "importServers",
  summary: "Make rows of MCP servers in a client's file",
  description:
    "Send the file as it was shown, and the indexes of the servers to take. A server that cannot become a row does not keep the others out.",
  body: fileSchema.extend({
    servers: z.array(z.int().min(0)).max(100),
    tags: z.array(z.string()).default([]),
    people: z.array(z.string()).max(peopleMax).default([]).meta({
      description: "Ids of users who get access to each row by a tag of the row's own.",
    }),
  }),
  answer: importReportSchema,
  failures: ["bad_request"],
  async handle({ services, actor, body }) {
    const imports = await import("../../../services/rows/imports/import-servers.ts");
    return await imports.importServers(services, actor, body);
  },
});
