import { isJsonObject, UpstreamError } from "@hub/connector";
import { defineOperation } from "../operations/inputs.ts";
import { requestJson, toShapeError } from "../request-logs.ts";
import { drawWidget, toNotice } from "./markup.ts";

/** Shows whether the host answers at the base URL, without a login. */
export const status = defineOperation({
  name: "Show status",
  description: "Shows whether the dashboard host answers, and its version.",
  configOnly: true,
  run: (ctx) =>
    drawWidget(async () => {
      if (ctx.config.BaseURL === undefined) return toNotice("Set Base URL and save the row first.");
      const answer = await requestJson(ctx, { path: "/api/health", identity: "none" }).catch(
        explainRefusal,
      );
      if (!isJsonObject(answer)) throw toShapeError();
      const { version, database } = answer;
      const words = [
        typeof version === "string" ? `The host answers. Version ${version}` : "The host answers",
        ...(typeof database === "string" ? [`database ${database}`] : []),
      ];
      return toNotice(`${words.join(", ")}.`);
    }),
});

/** Another kind of host has no such page. The advice for other requests would blame the datasource. */
function explainRefusal(thrown: unknown): never {
  if (thrown instanceof UpstreamError && thrown.httpStatus === 404) {
    throw new UpstreamError(
      "A host answers, but not as Grafana (404). Check Base URL: it may be another host's, or its path may be wrong.",
      { httpStatus: 404 },
    );
  }
  throw thrown;
}
