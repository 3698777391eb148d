import type { QrCodes } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode, QrCodeInput } from '../contract/types.ts';
import { isQrServiceError, QrServiceError } from '../errors/QrServiceError.ts';
import { isTransportError } from '../errors/TransportError.ts';
import { sentence } from '../errors/sentences.ts';
import { describeError, notPublishedTitle } from './describeError.ts';
import { showText } from './parameters/showValue.ts';

/** Options of `createAndPublish`. */
export interface CreateOptions {
  /** Whether to publish the code. */
  publish: boolean;
  /** For the creation. */
  createOptions: CallOptions;
  /** For the publication of the created code. */
  publishOptions: (created: QrCode) => CallOptions;
}

/**
 * A code that was created but could not be published. `code` is `not_published`, `cause` is the failure of the
 * publication. It contains the code, so that nobody has to create a duplicate.
 */
export class NotPublishedError extends QrServiceError {
  override readonly name = 'NotPublishedError';
  /** The code as it was created. */
  readonly qrCode: QrCode;

  constructor(qrCode: QrCode, cause: unknown) {
    const { message } = describeError(cause);
    super(`${notPublishedTitle(qrCode.id)}.`, { code: 'not_published', cause, detail: sentence(message) });
    this.qrCode = qrCode;
  }
}

/** Whether a thrown value is a `NotPublishedError`, from this copy of the core or another. */
export function isNotPublishedError(error: unknown): error is NotPublishedError {
  return isQrServiceError(error) && error.name === 'NotPublishedError';
}

/**
 * Creates a code and optionally publishes it: two calls, each with its own Idempotency-Key.
 * @throws NotPublishedError if only the publication failed. If it was canceled, its own error is thrown.
 */
export async function createAndPublish(
  { qr }: { qr: Pick<QrCodes, 'create' | 'publish'> },
  input: QrCodeInput,
  { publish, createOptions, publishOptions }: CreateOptions,
): Promise<QrCode> {
  const created = await qr.create(input, createOptions);
  return publish ? publishCreated({ qr }, created, () => publishOptions(created)) : created;
}

/**
 * Publishes a code that was just created.
 * @throws NotPublishedError if that fails. If it was canceled, its own error is thrown.
 */
export async function publishCreated(
  { qr }: { qr: Pick<QrCodes, 'publish'> },
  created: QrCode,
  options: () => CallOptions,
): Promise<QrCode> {
  const published = await orNotPublished(created, async () =>
    refuseUnpublished(created, await qr.publish(created.id, options())),
  );
  return withPublication(created, published);
}

/**
 * A code after its publication.
 * @throws QrServiceError `not_published` if its status is the same as before: the service accepted the request, but did
 * nothing
 */
export function refuseUnpublished<Code extends Partial<QrCode>>(before: Partial<QrCode>, after: Code): Code {
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
): Promise<Result> {
  try {
    return await publish();
  } catch (error) {
    if (isTransportError(error) && error.kind === 'aborted') throw error;
    throw new NotPublishedError(created, error);
  }
}

/**
 * A created code after its publication. If the key can't read codes, publishing returns only a part: the rest comes
 * from creation, without the fields that publishing has changed.
 */
function withPublication(created: QrCode, published: QrCode): QrCode {
  const { status: _status, updatedAt: _updatedAt, ...lasting } = created;
  return { ...lasting, ...published };
}
