/** Preloaded into hubs of tests: a machine whose clock is `HUB_TEST_CLOCK_SKEW_MS` ahead. */
const skewMs = Number(process.env.HUB_TEST_CLOCK_SKEW_MS);
const RealDate = Date;
const now = () => RealDate.now() + skewMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
});
