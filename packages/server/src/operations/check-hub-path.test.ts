import { expect, test } from "bun:test";
import { hubsMax } from "../lib/hub-path.ts";
import { checkHubPath } from "./check-hub-path.ts";
import { toTestCall } from "./open-test-operations.ts";

const check = (hubs: readonly string[]) =>
  checkHubPath({ readHubId: async () => "this" }, { ...toTestCall(), hubs });
const others = (count: number) => Array.from({ length: count }, (_, at) => `hub ${at}`);

test("A call may come over eight hubs, but neither over more nor back to where it was", async () => {
  await check([]);
  await check(others(hubsMax));
  await expect(check(others(hubsMax + 1))).rejects.toThrow(`has passed ${hubsMax} hubs`);
  await expect(check(["first", "this"])).rejects.toThrow("has come back to the hub");
});
