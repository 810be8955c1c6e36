import { useApi } from "../../../api/use-api.ts";

/** The last runs among which one is looked for that ran more than one node. */
const runsMax = 10;
const askEveryMs = 3_000;
/** With values there already, a newer run is less awaited. The list is beside the fields all day. */
const askForNewerEveryMs = 15_000;

/**
 * The run that is shown, or else the last one. With `isFollowed` it asks again while someone looks, since a run is also
 * started elsewhere, such as by a request to the test address, and a run that goes on gives more values.
 */
export function useLastRun(workflow: string, shown: string | null, isFollowed = false) {
  const { data: runs } = useApi(
    "GET /manager/api/workflows/{workflow}/runs",
    { params: { workflow }, query: { limit: runsMax } },
    {
      isOn: shown === null,
      everyMs: (read) => {
        if (!isFollowed) return undefined;
        return read === undefined || read.runs.length === 0 ? askEveryMs : askForNewerEveryMs;
      },
    },
  );
  const found = runs?.runs.find(({ mode }) => mode !== "node") ?? runs?.runs[0];
  const run = shown ?? found?.id ?? null;
  const { data: last = null } = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}",
    { params: { workflow, run: run ?? "" } },
    {
      isOn: run !== null,
      everyMs: (read) => (isFollowed && read?.ended_at === null ? askEveryMs : undefined),
    },
  );
  return { run, last };
}
