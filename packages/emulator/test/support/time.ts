import timers from 'node:timers/promises';
import type { Control } from 'qr-service-emulator';
import { until } from '../../../../test/support/jest/until.ts';

/** Like `control.settled()`, but moves the emulator's clock to each retry instead of waiting for it. */
export async function settleAhead(control: Control): Promise<void> {
  let isSettled = false;
  void control.settled().then(() => (isSettled = true));
  await until(() => {
    const pending = control.deliveries().filter(({ status }) => status === 'pending');
    const next = Math.min(...pending.map(({ nextAttemptAt }) => nextAttemptAt));
    const ahead = next - control.clock.now();
    if (Number.isFinite(ahead) && ahead > 0) control.clock.advance(ahead);
    return isSettled;
  });
}

/** From now on, a request that a fault slows down waits for `release`, however long its delay is (`delays`, in ms). */
export function holdSlowRequests() {
  const delays: number[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const spy = jest.spyOn(timers, 'setTimeout').mockImplementation((ms = 0, value) => {
    delays.push(ms);
    return released.then(() => value as never);
  });
  return {
    delays,
    release() {
      spy.mockRestore();
      release(undefined);
    },
  };
}
