import { isNotPublishedError, publishDraft } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { creationError } from '../errors/creationError.ts';
import type { UnsafeRerun } from '../errors/errorWords.ts';
import { rerunDelay } from '../errors/zapierErrors.ts';
import { DraftNotes } from './draftNotes.ts';

/** A run that creates a code. */
interface Creation {
  client: QrServiceClient;
  /** Key of the step. */
  step: string;
  name: string;
  targetUrl: string;
  publish: boolean;
  /** Which reruns may create a duplicate. */
  unsafe: UnsafeRerun;
  create: () => Promise<QrCode>;
}

/**
 * Creates a code. If it was created but can't be published now, and a rerun would create another, this notes the draft
 * for the rerun and asks Zapier for one, which publishes it. If the note isn't certain, the run fails for good.
 * @throws one of Zapier's errors
 */
export async function createOnce(z: ZObject, creation: Creation): Promise<QrCode> {
  const { client, step, name, targetUrl, publish, unsafe, create } = creation;
  const notes = publish && unsafe === 'any' ? new DraftNotes(z, [step, name, targetUrl]) : undefined;
  try {
    // An earlier run's draft has this run's target, but the list may be newer.
    client.qr.checkTargets({ targetUrl });
    const draft = await notes?.take();
    if (draft === undefined) return await create();
    return { ...(await publishDraft(client, draft, {})), targetUrl };
  } catch (error) {
    // Without a key, nobody else has requested the draft, so it has this run's target.
    const isDraft = isNotPublishedError(error) && rerunDelay(error.cause) !== undefined;
    const isNoted = isDraft && (await notes?.put(error.qrCode));
    throw creationError(z, error, isNoted === true ? 'none' : unsafe);
  }
}
