import { randomUUID } from 'node:crypto';
import { idempotencyKeyFrom, type QrCode } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { CACHE_MS, dropCache, readCache, withTimeout, writeCache, writeFirst } from '../client/cache.ts';

/** Time limit for leaving a note, in milliseconds: a run ends at 27 s, and Zapier ends it at 30 s. */
const WRITE_MS = 2_500;

/** `claim` is new in each note, even of the same draft: otherwise a late run could remove another one's note. */
type Note = { draft: QrCode; claim: string } | null;

const noteKey = (inputs: readonly string[]) => `draft:${idempotencyKeyFrom(inputs)}`;
const claimKey = (claim: string) => `draft:unclaimed:${claim}`;

/**
 * Notes a draft for a later run with the same inputs, for a day. Returns whether the note is certainly there. Zapier
 * passes no ID of a run, so there is one note for the same inputs, and runs may swap their drafts.
 */
export async function noteDraft(z: ZObject, inputs: readonly string[], draft: QrCode): Promise<boolean> {
  const claim = randomUUID();
  const write = async () => {
    await writeCache(z, claimKey(claim), true);
    return (await writeFirst(z, noteKey(inputs), { draft, claim })) as Note;
  };
  const noted = await withTimeout(write(), WRITE_MS).catch(() => null);
  return noted?.claim === claim;
}

/**
 * Takes the draft that an earlier run has noted, if any. Of runs that find the same note, the one that removes its claim
 * gets the draft. If the cache fails, there is no note: it may never work, and must not stop anything.
 */
export async function takeDraft(z: ZObject, inputs: readonly string[]): Promise<QrCode | undefined> {
  const take = async () => {
    const note = (await readCache(z, noteKey(inputs))) as Note;
    if (note === null || !(await dropCache(z, claimKey(note.claim)))) return undefined;
    await dropCache(z, noteKey(inputs));
    return note.draft;
  };
  return withTimeout(take(), CACHE_MS).catch(() => undefined);
}
