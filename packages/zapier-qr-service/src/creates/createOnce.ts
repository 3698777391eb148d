import { isNotPublishedError, publishDraft } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { CREATE_WORDS, rerunDelay, toZapierError } from '../errors.ts';
import { noteDraft, takeDraft, type Inputs } from './draftNote.ts';

/** A run that creates a code. */
interface Creation {
  client: QrServiceClient;
  /** Whether it has a deduplication key. */
  isKeyed: boolean;
  /** Whether running the step again may create a duplicate. */
  mayDuplicate: boolean;
  /** The run's inputs, if a rerun with the same ones may publish a draft that this run leaves. */
  noted: Inputs | undefined;
  create: () => Promise<QrCode>;
}

/**
 * Creates a code. If it was created but can't be published now, and a rerun would create another, this notes the draft
 * for the rerun and asks Zapier for one. If the note isn't certain, the run fails for good.
 * @throws one of Zapier's errors
 */
export async function createOnce(
  z: ZObject,
  { client, isKeyed, mayDuplicate, noted, create }: Creation,
): Promise<QrCode> {
  try {
    const draft = noted && (await takeDraft(z, client, noted));
    if (draft === undefined) return await create();
    return { ...(await publishDraft(client, draft, {})), targetUrl: noted?.targetUrl };
  } catch (error) {
    const isDraft = isNotPublishedError(error) && rerunDelay(error) !== undefined;
    const isNoted = isDraft && noted !== undefined && (await noteDraft(z, noted, error.qrCode));
    const words = { ...CREATE_WORDS, hasDeduplicationKey: isKeyed };
    throw toZapierError(z, error, words, mayDuplicate && !isNoted);
  }
}
