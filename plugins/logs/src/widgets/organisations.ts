import { findNumberText, isJsonObject, type Json, UpstreamError } from "@hub/connector";
import { defineOperation } from "../operations/inputs.ts";
import { requestJson, toShapeError } from "../request-logs.ts";
import { findPrerequisite } from "./find-prerequisite.ts";
import { drawWidget, toNotice, toPicker } from "./markup.ts";

/** Shows the organisations of the row's login, for selection. The request sends no organisation. */
export const organisations = defineOperation({
  name: "Select organisation",
  description: "Shows the organisations of the row's login, for selection.",
  configOnly: true,
  run: (ctx) =>
    drawWidget(async () => {
      const missing = findPrerequisite(ctx.config);
      if (missing !== null) return toNotice(missing);
      const answer = await requestJson(ctx, { path: "/api/user/orgs", identity: "login" }).catch(
        explainRefusal,
      );
      if (!Array.isArray(answer)) throw toShapeError();
      const choices = answer.flatMap(toChoice);
      if (choices.length === 0) return toNotice(`This login has no organisation. ${byHand}`);
      return toPicker("Organisation to read logs of:", choices, ctx.config.OrgID?.toString());
    }),
});

const byHand =
  "A service account belongs to one organisation. Set org_id to its number, which an admin of the host sees under Organisations. The first organisation is 1.";

function toChoice(org: Json) {
  if (!isJsonObject(org)) return [];
  const value = findNumberText(org.orgId);
  if (value === null) return [];
  const role = typeof org.role === "string" && org.role !== "" ? `, ${org.role}` : "";
  return [{ value, name: String(org.name ?? value), detail: `id ${value}${role}` }];
}

/** Some hosts do not list organisations for a service account. */
function explainRefusal(thrown: unknown): never {
  if (thrown instanceof UpstreamError && (thrown.httpStatus === 403 || thrown.httpStatus === 404)) {
    throw new UpstreamError(
      `The host does not list organisations to this login (${thrown.httpStatus}). ${byHand}`,
      { httpStatus: thrown.httpStatus },
    );
  }
  throw thrown;
}
