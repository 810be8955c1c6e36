/**
 * What a promise rejects with. `expect(…).rejects` turns the event loop while it waits, and from
 * inside a callback of gRPC's connection nothing ever arrives on that connection then.
 */
export async function findFailure(promise: Promise<unknown> | undefined): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("It did not fail");
}
