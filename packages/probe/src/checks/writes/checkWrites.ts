import type { QrCode } from '@qr-service/core';
import { newIdempotencyKey } from '../../http/Connection.ts';
import { publish, retarget } from '../changes.ts';
import { NoResponse, type Probe } from '../Probe.ts';
import { checkChange } from './codeChange.ts';
import { create, inputOf, readCreated } from './create.ts';
import { checkConflict, checkRefusal, checkReplay } from './idempotency.ts';
import { checkRedirect } from './redirect.ts';
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
  await checkRefusal(probe);
  for (const name of NAMES.slice(1)) {
    const exchange = await create(probe, inputOf(probe, name), newIdempotencyKey());
    await readCreated(probe, exchange);
  }
  const [first, second] = probe.known.written as [QrCode, QrCode];
  await checkChange(probe, 'codes.publish', await publish(probe, first.id), first.id);
  await checkRedirect(probe, first);
  await checkChange(probe, 'codes.destination', await retarget(probe, second.id), second.id);
}
