import type { CreateCallOptions, QrCodes } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode, QrCodeInput } from '../contract/types.ts';
import { isOwnError, isQrServiceError, isTransportError } from '../errors/guards.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { sentence } from '../errors/sentences.ts';
import { omitUndefined } from '../json/json.ts';
import { isArchived } from './code.ts';
import { archived, leadsBack } from './codeErrors.ts';
import type { CodeMemory } from './CodeMemory.ts';
import { isOwnLink } from './codeReference.ts';
import { describeError, notPublishedTitle } from './describeError.ts';
import { isParameterError } from './parameters/ParameterError.ts';

/** A code that exists but could not be published, and why (`cause`). It contains the code: nobody has to create another. */
export class NotPublishedError extends QrServiceError {
  override readonly name = 'NotPublishedError';
  /** The code as it was before. */
  readonly qrCode: QrCode;
  /** Whether it may point elsewhere than it should, so that publishing it isn't enough. */
  readonly mayPointElsewhere: boolean;

  constructor(qrCode: QrCode, cause: unknown, mayPointElsewhere = false) {
    const { message } = describeError(cause);
    super(`${notPublishedTitle(qrCode.id)}.`, { code: 'not_published', cause, detail: sentence(message) });
    this.qrCode = qrCode;
    this.mayPointElsewhere = mayPointElsewhere;
  }
}

/** Whether a thrown value is a `NotPublishedError`, from this copy of the core or another. */
export function isNotPublishedError(error: unknown): error is NotPublishedError {
  return isQrServiceError(error) && error.name === 'NotPublishedError';
}

/** Options of `createAndPublish`. */
export interface CreateOptions {
  publish: boolean;
  createOptions: CreateCallOptions;
  publishOptions: (created: QrCode) => CallOptions;
  /** Remembers the created code, so that rows find it while no read shows it yet. */
  memory?: CodeMemory | undefined;
  /** Where the code points, to return it with the code, unless the response may be a replay. */
  targetUrl?: string | undefined;
}

/**
 * Creates a code and optionally publishes it: two calls, each with its own Idempotency-Key.
 * @throws NotPublishedError if only the publication failed
 */
export async function createAndPublish(
  { qr }: { qr: Pick<QrCodes, 'create' | 'get' | 'publish'> },
  input: QrCodeInput,
  { publish, createOptions, publishOptions, memory, targetUrl }: CreateOptions,
): Promise<QrCode> {
  let isReplay = false as boolean;
  const created = await qr.create(input, {
    ...createOptions,
    onReplay: () => {
      isReplay = true;
      createOptions.onReplay?.();
    },
  });
  memory?.setCreated(created, input.name);
  const code = publish ? await publishDraft({ qr }, created, publishOptions(created)) : created;
  return isReplay ? code : { ...code, ...omitUndefined({ targetUrl }) };
}

/**
 * Publishes a code that was created. The response may be a part of the code only: the rest comes from before.
 * @throws NotPublishedError if that fails, unless it was canceled
 */
export async function publishDraft(
  { qr }: { qr: Pick<QrCodes, 'get' | 'publish'> },
  draft: QrCode,
  options: CallOptions,
): Promise<QrCode> {
  try {
    const { updatedAt: _, ...lasting } = draft;
    const published: Partial<QrCode> = await publishCode(qr, draft.id, options);
    return { ...lasting, status: 'published', ...published } as QrCode;
  } catch (error) {
    throw notPublished(draft, error);
  }
}

/**
 * The error for a draft that couldn't be published. If that was canceled, or if the code is archived, its own error:
 * publishing doesn't restore it.
 */
export function notPublished(draft: QrCode, error: unknown, mayPointElsewhere = false): unknown {
  const isCanceled = isTransportError(error) && error.kind === 'aborted';
  if (isCanceled || isParameterError(error) || isNotPublishedError(error)) return error;
  return new NotPublishedError(draft, error, mayPointElsewhere);
}

/** Publishes a code. */
export async function publishCode(
  qr: Pick<QrCodes, 'publish' | 'get'>,
  id: string,
  options: CallOptions = {},
): Promise<QrCode> {
  const code = await qr.publish(id, options).catch(async (error: unknown) => {
    // The API text doesn't show how the service refuses to publish an archived code.
    const isTold = /^(approval_required|contrast_check_failed)$/.test((error as QrServiceError).code);
    if (isTold || !isOwnError(error, 409, 422)) throw error;
    const current = await qr.get(id, options).catch(() => undefined);
    if (current === undefined || !isArchived(current)) throw error;
    return current;
  });
  if (isArchived(code)) throw archived(code, false, '');
  return code;
}

/** Changes where a code points, and returns it with its new target. */
export async function retargetCode(
  qr: Pick<QrCodes, 'retarget' | 'get'>,
  id: string,
  targetUrl: string,
  options: CallOptions = {},
): Promise<QrCode> {
  const code = await qr.retarget(id, targetUrl, options);
  if (isArchived(code)) throw archived(code, true, '');
  if (isOwnLink(code, targetUrl)) throw leadsBack(code, { wasChanged: true });
  return { ...code, targetUrl };
}
