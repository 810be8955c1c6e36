/** The engine, with the database that `openEngine` uses. */
import { describeOtherProcesses } from "./claim/other-processes.testsuite.ts";
import { describeBounds } from "./limits/run-bounds.testsuite.ts";
import { describeExits } from "./walk/exit-run.testsuite.ts";
import { describeWalks } from "./walk/walk-run.testsuite.ts";

describeWalks();
describeExits();
describeOtherProcesses();
describeBounds();
