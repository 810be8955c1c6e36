import { isJsonObject, type Json, UpstreamError } from "@hub/connector";
import { defineOperation } from "../operations/inputs.ts";
import { requestJson, toShapeError } from "../request-logs.ts";
import { findPrerequisite } from "./find-prerequisite.ts";
import { drawWidget, toNotice, toPicker } from "./markup.ts";

/** Shows the log datasources of the row's organisation, for selection. */
export const datasources = defineOperation({
  name: "Select datasource",
  description: "Shows the log datasources of the row's organisation, for selection.",
  configOnly: true,
  run: (ctx) =>
    drawWidget(async () => {
      const missing = findPrerequisite(ctx.config);
      if (missing !== null) return toNotice(missing);
      if (ctx.config.OrgID === undefined) {
        return toNotice("Select the organisation (org_id) and save the row first.");
      }
      const answer = await requestJson(ctx, { path: "/api/datasources" }).catch(explainRefusal);
      if (!Array.isArray(answer)) throw toShapeError();
      const choices = answer.flatMap(toChoice);
      if (choices.length === 0) return toNotice(toNoneNotice(ctx.config.OrgID, answer.length));
      return toPicker("Log datasource to read:", choices, ctx.config.DatasourceUID);
    }),
});

function toChoice(datasource: Json) {
  if (!isJsonObject(datasource) || datasource.type !== "loki") return [];
  const { uid, name } = datasource;
  if (typeof uid !== "string" || uid === "") return [];
  return [{ value: uid, name: typeof name === "string" ? name : uid, detail: `uid ${uid}` }];
}

function toNoneNotice(orgId: number | bigint, others: number): string {
  const what = others === 0 ? "no datasource" : "no datasource of type loki, only others,";
  return `Organisation ${orgId} has ${what} that this login may see. Select another organisation, or add a datasource there.`;
}

function explainRefusal(thrown: unknown): never {
  if (thrown instanceof UpstreamError && thrown.httpStatus === 403) {
    throw new UpstreamError(
      "This login may not list datasources (403). It needs the permission datasources:read. Queries may still work: set datasource_uid to the last part of the address of the datasource's page on the host.",
      { httpStatus: 403 },
    );
  }
  throw thrown;
}
