import { newIdempotencyKey } from '../../http/Connection.ts';
import { NoResponse, type Probe } from '../Probe.ts';
import { checkDestination, checkPublish } from './codeChange.ts';
import { create, inputOf, readCreated } from './create.ts';
import { checkConflict, checkReplay } from './idempotency.ts';
import { checkVisibility } from './visibility.ts';

/** Sorted differently by name, by time of creation and by time of the last change. */
const NAMES = ['1', '3', '2'] as const;

/** Creates codes, and looks at everything that changes them. */
export async function checkWrites(probe: Probe): Promise<void> {
  const key = newIdempotencyKey();
  const body = inputOf(probe, NAMES[0]);
  const created = await create(probe, body, key);
  const code = await readCreated(probe, created);
  await checkVisibility(probe, code, created).catch((error: unknown) => {
    // What follows needs no list.
    if (!(error instanceof NoResponse)) throw error;
    probe.answer('lists.visibility', { verdict: 'unknown', explanation: error.message });
  });
  await checkReplay(probe, { key, body, created, code });
  await checkConflict(probe, key);
  for (const name of NAMES.slice(1)) {
    const exchange = await create(probe, inputOf(probe, name), newIdempotencyKey());
    await readCreated(probe, exchange);
  }
  const publicUrl = await checkPublish(probe, created, code);
  await checkDestination(probe, code, publicUrl);
}
