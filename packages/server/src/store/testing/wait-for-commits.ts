/** What another process commits is seen by the requests of the next turn of the event loop. */
export const waitForCommits = () => new Promise((resolve) => setImmediate(resolve));
