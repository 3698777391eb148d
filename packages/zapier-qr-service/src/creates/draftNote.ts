import { randomUUID } from 'node:crypto';
import { idempotencyKeyFrom, isOwnError, NotPublishedError } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { dropCache, readCache, withTimeout, writeFirst } from '../client/cache.ts';
import { plainError } from '../errors.ts';

/** Time limits of Zapier's cache in milliseconds: a run ends at 27 s, and Zapier ends it at 30 s. */
const LOOK_MS = 2_000;
const TAKE_MS = 8_000;
const WRITE_MS = 2_500;

interface Note {
  /** Differs for each note, even of the same draft. */
  token: string;
  draft: QrCode;
}

/** What a run was given. Zapier passes no ID of a run, so runs with the same inputs may swap their drafts. */
export interface Inputs {
  step: string;
  name: string;
  targetUrl: string;
}

const keyOf = ({ step, name, targetUrl }: Inputs) => `draft:${idempotencyKeyFrom([step, name, targetUrl])}`;

/**
 * Notes the draft that a throttled run leaves, so that its rerun publishes it. There is one note for the same inputs.
 * Returns whether it is certainly there.
 */
export async function noteDraft(z: ZObject, inputs: Inputs, draft: QrCode): Promise<boolean> {
  const note: Note = { token: randomUUID(), draft };
  const written = withTimeout(writeFirst(z, keyOf(inputs), note), WRITE_MS).catch(() => null);
  return ((await written) as Note | null)?.token === note.token;
}

/**
 * Takes the note of a draft, if there is one, and checks that the draft hasn't changed since. If the cache fails, there
 * is none: it may never work, and must not stop anything.
 * @throws NotPublishedError, or Zapier's Error if the draft was changed or deleted
 */
export async function takeDraft(
  z: ZObject,
  { qr }: QrServiceClient,
  inputs: Inputs,
): Promise<QrCode | undefined> {
  const key = keyOf(inputs);
  const note = (await withTimeout(readCache(z, key), LOOK_MS).catch(() => null)) as Note | null;
  if (note === null || !(await withTimeout(claim(z, key, note), TAKE_MS).catch(() => false)))
    return undefined;
  const { draft } = note;
  const current = await qr.get(draft.id).catch((error: unknown) => {
    if (!isOwnError(error, 404)) throw new NotPublishedError(draft, error);
  });
  if (current?.status === draft.status && current.updatedAt === draft.updatedAt) return current;
  const text = `The QR code ${draft.id} was changed or deleted after an earlier run had created it as a draft. Check it in the app. If you replay this run, it creates a new code.`;
  throw plainError(z, text, 'not_published');
}

/** Of runs that find the same note, the first one to claim it gets the draft. */
async function claim(z: ZObject, key: string, { token }: Note): Promise<boolean> {
  const own = randomUUID();
  const isOwn = (await writeFirst(z, `draft:taken:${token}`, own)) === own;
  if (isOwn) await dropCache(z, key);
  return isOwn;
}
