import type { CreateCallOptions, QrCodes, ReplayEvidence } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode, QrCodeInput } from '../contract/types.ts';
import { isQrServiceError, QrServiceError } from '../errors/QrServiceError.ts';
import { isTransportError } from '../errors/TransportError.ts';
import { sentence } from '../errors/sentences.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { publishCode } from './changeCode.ts';
import type { CodeMemory } from './CodeMemory.ts';
import { describeError, notPublishedTitle } from './describeError.ts';
import { isParameterError } from './parameters/ParameterError.ts';
import { showText } from './parameters/showValue.ts';

/** Options of `createAndPublish`. */
export interface CreateOptions {
  /** Whether to publish the code. */
  publish: boolean;
  /** For the creation. */
  createOptions: CreateCallOptions;
  /**
   * Remembers the created code, so that rows find it while no read shows it yet.
   * @default nothing does
   */
  memory?: CodeMemory | undefined;
  /** For the publication of the created code. */
  publishOptions: (created: QrCode) => CallOptions;
  /**
   * Where the code points, to return it with the code, unless the response is a replay: the code may have been changed since.
   * @default it isn't returned
   */
  targetUrl?: string | undefined;
}

/**
 * A code that was created but could not be published. `code` is `not_published`, `cause` is the failure of the
 * publication. It contains the code, so that nobody has to create a duplicate.
 */
export class NotPublishedError extends QrServiceError {
  override readonly name = 'NotPublishedError';
  /** The code as it was created. */
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

/**
 * Creates a code and optionally publishes it: two calls, each with its own Idempotency-Key.
 * @throws NotPublishedError if only the publication failed. If it was canceled, its own error is thrown.
 * @throws ParameterError `archived` if the creation was a replay and the code was archived since
 */
export async function createAndPublish(
  { qr }: { qr: Pick<QrCodes, 'create' | 'get' | 'publish'> },
  input: QrCodeInput,
  { publish, createOptions, publishOptions, memory, targetUrl }: CreateOptions,
): Promise<QrCode> {
  let replay = undefined as ReplayEvidence | undefined;
  const created = await qr.create(input, {
    ...createOptions,
    onReplay: (evidence) => {
      replay = evidence;
      createOptions.onReplay?.(evidence);
    },
  });
  memory?.setCreated(created, input.name);
  const code = publish ? await publishCreated({ qr }, created, () => publishOptions(created)) : created;
  return replay === 'marked' ? code : { ...code, ...omitUndefined({ targetUrl }) };
}

/**
 * Publishes a code that was just created.
 * @throws NotPublishedError if that fails. If it was canceled, its own error is thrown.
 */
export async function publishCreated(
  { qr }: { qr: Pick<QrCodes, 'get' | 'publish'> },
  created: QrCode,
  options: () => CallOptions,
): Promise<QrCode> {
  return orNotPublished(created, () => publishDraft({ qr }, created, options()));
}

/**
 * Publishes a code. If the key can't read codes, publishing returns only a part of it: the rest comes from before, without
 * the fields that publishing has changed.
 */
export async function publishDraft(
  { qr }: { qr: Pick<QrCodes, 'get' | 'publish'> },
  draft: QrCode,
  options: CallOptions,
): Promise<QrCode> {
  const published = refuseUnpublished(draft, await publishCode(qr, draft.id, options));
  const { status: _status, updatedAt: _updatedAt, ...lasting } = draft;
  return { ...lasting, ...published };
}

/**
 * A code after its publication.
 * @throws QrServiceError `not_published` if its status is the same as before: the service accepted the request, but did
 * nothing
 */
function refuseUnpublished<Code extends Partial<QrCode>>(before: Partial<QrCode>, after: Code): Code {
  if (after.status === undefined || after.status === 'published' || after.status !== before.status)
    return after;
  throw new QrServiceError(
    `The service accepted the request to publish the QR code, but its status is still "${showText(after.status)}".`,
    { code: 'not_published', detail: 'Look in the app for what it is waiting for.' },
  );
}

/**
 * Does what makes a created code public.
 * @throws NotPublishedError if that fails. If it was canceled, its own error is thrown.
 */
export async function orNotPublished<Result>(
  created: QrCode,
  publish: () => Promise<Result>,
  mayPointElsewhere = false,
): Promise<Result> {
  try {
    return await publish();
  } catch (error) {
    throw notPublished(created, error, mayPointElsewhere);
  }
}

/**
 * The error for a created code that couldn't be made public. If that was canceled, or if the code is archived, its own
 * error: publishing doesn't restore it.
 */
export function notPublished(created: QrCode, error: unknown, mayPointElsewhere: boolean): unknown {
  if (isTransportError(error) && error.kind === 'aborted') return error;
  if (isParameterError(error) && error.code === 'archived') return error;
  return new NotPublishedError(created, error, mayPointElsewhere);
}
