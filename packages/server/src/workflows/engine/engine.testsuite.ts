/** The engine, with the database that `openEngine` uses. */
import { describeOtherProcesses } from "./claim/other-processes.testsuite.ts";
import { describeBounds } from "./limits/run-bounds.testsuite.ts";
import { describeExits } from "./walk/exit-run.testsuite.ts";
import { describeSwitchedOff } from "./walk/pass-on.testsuite.ts";
import { describeWalks } from "./walk/walk-run.testsuite.ts";

describeWalks();
describeSwitchedOff();
describeExits();
describeOtherProcesses();
describeBounds();
