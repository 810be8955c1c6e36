import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Loaded, type Reading } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { useIsLate } from "../../ui/page/use-is-late.ts";
import { Waiting } from "../../ui/page/waiting.tsx";
import { Attention, useAttention } from "./attention.tsx";
import { CallsOverTime, type Span } from "./calls-over-time.tsx";
import { FirstCall, useSetup } from "./first-call.tsx";
import { HomeSkeleton, StandingOutSkeleton } from "./home-skeleton.tsx";
import { LastCalls, useLastCalls } from "./last-calls.tsx";
import { NothingShared } from "./nothing-shared.tsx";
import { SampleOffer } from "./sample-offer.tsx";
import { StandingOut } from "./standing-out.tsx";

const everyMs = 15_000;

/** What needs the user, the way to the first call, and what happened lately. */
export function HomePage() {
  const { user } = useMe();
  return (
    <Page title={user.name === "" ? "Home" : `Hello, ${user.name}`}>
      <Parts />
    </Page>
  );
}

function Parts() {
  const { isAdmin } = useMe();
  const [span, setSpan] = useState<Span>("day");
  const attention = useAttention();
  const setup = useSetup();
  const overview = useApi("GET /manager/api/overview", { query: { span } }, { everyMs });
  const calls = useLastCalls();
  // How high the first two are is known only when they have come, so nothing is shown below them before.
  const isTopHere = ![attention, setup].some(isAwaited);
  const isRestHere = ![overview, calls].some(isAwaited);
  const isRestLate = useIsLate(!isRestHere);
  const [isOpen, setOpen] = useState(false);
  // The parts come together, so that none of them moves another. The rest come by themselves if they are late.
  if (!isOpen && isTopHere && (isRestHere || isRestLate)) setOpen(true);
  if (!isOpen) {
    const what = isAwaited(attention) ? "What needs attention" : "The start page";
    return (
      <Waiting what={what}>
        <HomeSkeleton />
      </Waiting>
    );
  }
  const seesRows = setup.data?.sees_rows ?? true;
  return (
    <>
      <Loaded of={attention} what="What needs attention" skeleton={<PageSkeleton lines={3} />}>
        {() => <Attention pages={attention} />}
      </Loaded>
      {!isAdmin && !seesRows && <NothingShared />}
      {setup.data !== undefined && <FirstCall setup={setup.data} />}
      {isAdmin && !seesRows && <SampleOffer />}
      <CallsOverTime of={overview} span={span} onSpan={setSpan} />
      <Loaded of={overview} what="The rows" skeleton={<StandingOutSkeleton />}>
        {(answer) => <StandingOut overview={answer} isAdmin={isAdmin} />}
      </Loaded>
      <LastCalls of={calls} />
    </>
  );
}

function isAwaited({ data, error }: Pick<Reading<unknown>, "data" | "error">): boolean {
  return data === undefined && error === null;
}
