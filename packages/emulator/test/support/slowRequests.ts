import timers from 'node:timers/promises';

/** Requests that the emulator slows down, held for as long as a test wants. */
interface SlowRequests {
  /** The delay of each, in milliseconds. */
  delays: number[];
  release: () => void;
}

/** From now on, a request that a fault slows down waits for `release`, however long its delay is. */
export function holdSlowRequests(): SlowRequests {
  const delays: number[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const spy = jest.spyOn(timers, 'setTimeout').mockImplementation((ms = 0, value) => {
    delays.push(ms);
    return released.then(() => value as never);
  });
  return {
    delays,
    release() {
      spy.mockRestore();
      release();
    },
  };
}
