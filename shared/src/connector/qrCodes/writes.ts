import type { QrCodes } from '../../client/QrCodes.ts';
import type { CallOptions } from '../../client/RequestExecutor.ts';
import type { NewQrCode, QrCode } from '../../contract/types.ts';
import { isOwnError } from '../../errors/guards.ts';
import type { QrServiceError } from '../../errors/QrServiceError.ts';
import type { CodeMemory } from './CodeMemory.ts';
import { notPublished } from './NotPublishedError.ts';
import { isArchived, type TargetedCode } from './qrCode.ts';
import { archived, leadsBack } from './qrCodeErrors.ts';
import { isOwnLink } from './reference.ts';

/** Creates a code and remembers it. `mayBeOld`: by a replay, as it may seem, so nobody knows where the code points by now. */
export async function createDraft(
  qr: Pick<QrCodes, 'create'>,
  { name, targetUrl }: NewQrCode,
  options: CallOptions,
  memory?: CodeMemory,
): Promise<{ draft: QrCode; mayBeOld: boolean }> {
  const response = { mayBeOld: false };
  const onReplay = () => {
    response.mayBeOld = true;
  };
  const draft = await qr.create({ name, targetUrl }, { ...options, onReplay });
  memory?.setCreated(draft, name);
  if (!response.mayBeOld) memory?.setTarget(draft, targetUrl);
  return { draft, ...response };
}

/**
 * Creates a code and optionally publishes it: two calls, of which only the creation may have a fixed Idempotency-Key. Returns
 * the code with the target that it was created with. Throws a `NotPublishedError` if only the publication failed.
 */
export async function createAndPublish(
  qr: Pick<QrCodes, 'create' | 'get' | 'publish'>,
  row: NewQrCode,
  options: {
    publish: boolean;
    createOptions: CallOptions;
    publishOptions?: CallOptions;
    memory?: CodeMemory;
  },
): Promise<TargetedCode> {
  const { draft } = await createDraft(qr, row, options.createOptions, options.memory);
  const code = options.publish ? await publishDraft(qr, draft, options.publishOptions) : draft;
  return { ...code, targetUrl: row.targetUrl };
}

/** Publishes a code that was created, or throws a `NotPublishedError`. The response may be only a part of the code. */
export async function publishDraft(
  qr: Pick<QrCodes, 'get' | 'publish'>,
  draft: QrCode,
  options: CallOptions = {},
): Promise<QrCode> {
  try {
    const { updatedAt: _, ...lasting } = draft;
    const published: Partial<QrCode> = await publishCode(qr, draft.id, options);
    return { ...lasting, status: 'published', ...published } as QrCode;
  } catch (error) {
    throw notPublished(draft, error);
  }
}

/** Publishes a code. Throws a `ParameterError` if it is archived. */
export async function publishCode(
  qr: Pick<QrCodes, 'publish' | 'get'>,
  id: string,
  options: CallOptions = {},
): Promise<QrCode> {
  const code = await qr.publish(id, options).catch(async (error: unknown) => {
    // It isn't documented (docs/api.md#publishing) how the service refuses to publish an archived code.
    const isTold = /^(approval_required|contrast_check_failed)$/.test((error as QrServiceError).code);
    if (isTold || !isOwnError(error, 409, 422)) throw error;
    const current = await qr.get(id, options).catch(() => undefined);
    if (current === undefined || !isArchived(current)) throw error;
    return current;
  });
  if (isArchived(code)) throw archived(code);
  return code;
}

/**
 * Changes where a code points, and returns it with its new target.
 * @param known the code's ID and what else is known: nothing is sent if the target is known to be its own short link
 */
export async function retargetCode(
  qr: Pick<QrCodes, 'retarget' | 'get'>,
  known: Partial<QrCode> & { id: string },
  targetUrl: string,
  options: CallOptions = {},
): Promise<TargetedCode> {
  if (isOwnLink(known, targetUrl)) throw leadsBack(known as QrCode);
  const code = await qr.retarget(known.id, targetUrl, options);
  if (isArchived(code)) throw archived(code, true);
  if (isOwnLink(code, targetUrl)) throw leadsBack(code, { wasChanged: true });
  return { ...code, targetUrl };
}
