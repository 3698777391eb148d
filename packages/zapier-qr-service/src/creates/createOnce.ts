import type { QrCode } from '@qr-service/core';
import {
  isNotPublishedError,
  isOwnError,
  NotPublishedError,
  type PlatformClient,
  publishDraft,
} from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import { plainError, toZapierError } from '../errors/zapierErrors.ts';
import { noteDraft, takeDraft } from './draftNotes.ts';

/** What a rerun with the same inputs does about a code that a run leaves. */
export type Rerun = 'finds it' | 'needs a note' | 'may duplicate it';

/** A run that creates a code. */
interface Creation {
  client: PlatformClient;
  /** The step and its inputs: a note of a draft is for runs with the same ones, so it points to the same URL. */
  inputs: readonly string[];
  /** Whether it has a deduplication key. */
  isKeyed: boolean;
  rerun: Rerun;
  create: () => Promise<QrCode>;
}

/**
 * Creates a code, or publishes the draft that an earlier run with the same inputs has left. If publishing fails and a
 * rerun needs a note of the draft, leaves one, whether Zapier or people run the step again.
 * @throws one of Zapier's errors
 */
export async function createOnce(z: ZObject, creation: Creation): Promise<QrCode> {
  const { client, inputs, isKeyed, rerun, create } = creation;
  try {
    const draft = rerun === 'needs a note' ? await takeDraft(z, inputs) : undefined;
    return draft === undefined ? await create() : await finish(z, draft, client);
  } catch (error) {
    let isSafe = rerun === 'finds it';
    if (rerun === 'needs a note' && isNotPublishedError(error)) {
      const isNoted = await noteDraft(z, inputs, error.qrCode);
      // To fix a 422, people change the draft, so that a rerun wouldn't publish it. After a 404, it may be deleted.
      isSafe = isNoted && !isOwnError(error.cause, 404, 410, 422);
    }
    throw toZapierError(z, error, { kind: 'creation', isKeyed, mayDuplicate: !isSafe });
  }
}

/**
 * Publishes the draft of an earlier run, unless somebody has published it since. If it was changed otherwise or isn't found,
 * no code replaces it: as reads may be late, a 404 so soon doesn't prove that it was deleted.
 */
async function finish(z: ZObject, draft: QrCode, { qr }: PlatformClient): Promise<QrCode> {
  const current = await qr.get(draft.id).catch((error: unknown) => {
    if (!isOwnError(error, 404, 410)) throw new NotPublishedError(draft, error);
  });
  if (current?.status === 'published') return current;
  if (current?.status === draft.status && current.updatedAt === draft.updatedAt)
    return publishDraft(qr, current);
  const text = `The QR code ${draft.id} was changed or deleted after an earlier run created it as a draft. Check it in the app. If you replay this run, it creates a new code.`;
  throw plainError(z, text, 'not_published');
}
