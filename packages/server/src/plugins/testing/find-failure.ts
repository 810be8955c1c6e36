/**
 * The error of a rejected promise. `expect(…).rejects` runs the event loop while it waits, which
 * blocks the connection if it is used inside a gRPC callback.
 */
export async function findFailure(promise: Promise<unknown> | undefined): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("It did not fail");
}
