import { randomUUID } from 'node:crypto';
import {
  isNotPublishedError,
  isOwnError,
  NotPublishedError,
  type PlatformClient,
  publishDraft,
} from '@qr-service/core/connector';
import { idempotencyKeyFrom, type QrCode } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { CACHE_MS, dropCache, readCache, withTimeout, writeFirst } from '../client/cache.ts';
import { CREATE_WORDS, plainError, rerunDelay, toZapierError } from '../errors/zapierErrors.ts';

/** A run that creates a code. */
interface Creation {
  client: PlatformClient;
  /** Whether it has a deduplication key. */
  isKeyed: boolean;
  /** Whether running the step again may create a duplicate. */
  mayDuplicate: boolean;
  targetUrl: string;
  /** The step and its inputs, if a rerun with the same ones may publish a draft that this run leaves. */
  noted: readonly string[] | undefined;
  create: () => Promise<QrCode>;
}

/**
 * Creates a code. If it was created but can't be published now, and a rerun would create another, this notes the draft
 * for the rerun and asks Zapier for one. If the note isn't certain, the run fails for good.
 * @throws one of Zapier's errors
 */
export async function createOnce(
  z: ZObject,
  { client, isKeyed, mayDuplicate, targetUrl, noted, create }: Creation,
): Promise<QrCode> {
  try {
    const draft = noted && (await takeDraft(z, client, noted));
    if (draft === undefined) return await create();
    return { ...(await publishDraft(client.qr, draft)), targetUrl } as QrCode;
  } catch (error) {
    const isDraft = isNotPublishedError(error) && rerunDelay(error) !== undefined;
    const isNoted = isDraft && noted !== undefined && (await noteDraft(z, noted, error.qrCode));
    const words = { ...CREATE_WORDS, hasDeduplicationKey: isKeyed };
    throw toZapierError(z, error, words, mayDuplicate && !isNoted);
  }
}

/** Time limit for leaving a note, in milliseconds: a run ends at 27 s, and Zapier ends it at 30 s. */
const WRITE_MS = 2_500;

interface Note {
  /** Differs for each note, even of the same draft. */
  token: string;
  draft: QrCode;
}

const keyOf = (inputs: readonly string[]) => `draft:${idempotencyKeyFrom(inputs)}`;

/**
 * Notes the draft that a throttled run leaves, so that its rerun publishes it. Returns whether the note is certainly
 * there. Zapier passes no ID of a run, so there is one note for the same inputs, and runs may swap their drafts.
 */
export async function noteDraft(z: ZObject, inputs: readonly string[], draft: QrCode): Promise<boolean> {
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
  { qr }: PlatformClient,
  inputs: readonly string[],
): Promise<QrCode | undefined> {
  const draft = await withTimeout(take(z, keyOf(inputs)), CACHE_MS).catch(() => undefined);
  if (draft === undefined) return undefined;
  const current = await qr.get(draft.id).catch((error: unknown) => {
    if (!isOwnError(error, 404)) throw new NotPublishedError(draft, error);
  });
  if (current?.status === draft.status && current.updatedAt === draft.updatedAt) return current;
  const text = `The QR code ${draft.id} was changed or deleted after an earlier run had created it as a draft. Check it in the app. If you replay this run, it creates a new code.`;
  throw plainError(z, text, 'not_published');
}

/** Of runs that find the same note, the first one to claim it gets the draft. */
async function take(z: ZObject, key: string): Promise<QrCode | undefined> {
  const note = (await readCache(z, key)) as Note | null;
  const own = randomUUID();
  if (note === null || (await writeFirst(z, `draft:taken:${note.token}`, own)) !== own) return undefined;
  await dropCache(z, key);
  return note.draft;
}
