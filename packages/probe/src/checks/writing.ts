import { randomUUID } from 'node:crypto';
import type { QrCode } from '@qr-service/core';
import { publishDraft, retargetCode, targetUrlOf } from '@qr-service/core/connector';
import { fails, unknown, works, type Outcome } from '../findings/Finding.ts';
import { follow, OLD_LINK } from './link.ts';
import { failed, ownCode, readOwn, statusOf, TARGETS, waitUntil, type Probe } from './Probe.ts';

const ACCEPTED = 'The service accepted the request, but';

/** Creates two codes: a list needs two to have pages. */
export async function checkCreate(probe: Probe): Promise<Outcome> {
  const { known, now } = probe;
  known.idempotencyKey = newKey();
  known.createdAt = now();
  known.own = await create(probe, 1, known.idempotencyKey);
  await create(probe, 2, newKey());
  return works(statusOf(probe, '/qr'));
}

function create(probe: Probe, number: number, idempotencyKey: string): Promise<QrCode> {
  const { client, ledger, known } = probe;
  const minute = new Date(known.createdAt ?? 0).toISOString().slice(5, 16).replace('T', ' ');
  // Services may allow no more than 50 characters.
  const name = `qr-service-probe ${minute} ${number}, safe to delete`;
  const input = { name, mode: 'dynamic', contentType: 'url', content: { targetUrl: TARGETS[0] } };
  return ledger.create('code', name, () => client.qr.create(input, { idempotencyKey }));
}

const newKey = () => `qr-service-probe-${randomUUID()}`;

/** Sends the first creation again, as the connectors do after a lost response. */
export async function checkRetry(probe: Probe): Promise<Outcome> {
  try {
    const again = await create(probe, 1, probe.known.idempotencyKey ?? '');
    if (again.id === ownCode(probe).id) return works('first response replayed');
  } catch (error) {
    const { verdict, explanation = '' } = failed(error);
    if (verdict === 'unknown') return unknown(explanation);
    return fails('refused', `The same Idempotency-Key must return the first response. ${explanation}`);
  }
  return fails(
    'created a second code',
    "The service ignores Idempotency-Key. If a response is lost, the connectors' retry creates a duplicate.",
  );
}

/** Publishes the code, and looks whether it is published. */
export async function checkPublish(probe: Probe): Promise<Outcome> {
  const { client, known } = probe;
  const draft = ownCode(probe);
  known.own = await publishDraft(client.qr, draft);
  const status = statusOf(probe, '/publish');
  const look = () => readOwn(probe);
  const seen = await waitUntil(probe, look, (code) => code === undefined || code.status === 'published');
  if (seen === undefined) return unknown(`${ACCEPTED} the code can't be read.`, status);
  known.own = seen;
  if (seen.status === 'published' || seen.status !== draft.status)
    return works(`${status}, then ${seen.status}`);
  return fails(`still ${seen.status}`, `${ACCEPTED} the code isn't published.`);
}

/** Updates the destination, and looks whether the code leads there: by what it says, or else by its link. */
export async function checkChange(probe: Probe): Promise<Outcome> {
  const { client, known } = probe;
  const { id, publicUrl, updatedAt } = ownCode(probe);
  await retargetCode(client.qr, { id }, TARGETS[1]);
  const status = statusOf(probe, '/destination');
  const look = async () => {
    const code = await readOwn(probe);
    // Any field may show it.
    if (JSON.stringify(code ?? {}).includes(TARGETS[1].slice(0, -1))) return { code, target: TARGETS[1] };
    const link = known.linkWorks === true ? await follow(probe, publicUrl) : undefined;
    return { code, target: link?.target ?? targetUrlOf(code) };
  };
  const isDone = ({ target }: { target?: string | undefined }) =>
    target === undefined || target === TARGETS[1];
  const { code, target } = await waitUntil(probe, look, isDone);
  if (target === TARGETS[1]) return works(status);
  if (target === undefined)
    return unknown(`${ACCEPTED} neither the code nor its short link shows where it leads.`, status);
  if (targetUrlOf(code) === undefined && code?.updatedAt !== updatedAt) return unknown(OLD_LINK, status);
  return fails('not changed', `${ACCEPTED} the destination isn't changed.`);
}
