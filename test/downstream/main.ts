import { runHub } from "@hub/cli";
import { warehouse } from "./warehouse.ts";

await runHub({ connectors: [warehouse], name: "acme-hub", version: "3.1.4" });
