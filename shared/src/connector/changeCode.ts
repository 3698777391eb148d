import type { QrCodes } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode } from '../contract/types.ts';
import { isApiError } from '../errors/ApiError.ts';
import { isOwnError } from '../errors/isOwnError.ts';
import { isTransportError } from '../errors/TransportError.ts';
import { isArchived } from './codeStatus.ts';
import { archived } from './upsertErrors.ts';

/** The part of the client that changes a code. */
type CodeChanger<Call extends 'publish' | 'retarget'> = Pick<QrCodes, Call | 'get'>;

/**
 * Publishes a code. Only if that is refused, the code is read to see whether it is archived.
 * @throws ParameterError `archived`
 */
export async function publishCode(
  qr: CodeChanger<'publish'>,
  id: string,
  options: CallOptions = {},
): Promise<QrCode> {
  try {
    return refuseArchived(await qr.publish(id, options), false);
  } catch (error) {
    // The API text doesn't show how the service refuses to publish an archived code.
    if (!isOwnError(error, 400, 409, 410, 422) || isForAnotherReason(error)) throw error;
    const code = await readNow(qr, id, options);
    if (code !== undefined) refuseArchived(code, false);
    throw error;
  }
}

/** Whether a refusal has another, documented reason. All codes may share it, and reading each one would slow down bulk runs. */
function isForAnotherReason(error: unknown): boolean {
  return isApiError(error) && ['approval_required', 'contrast_check_failed'].includes(error.code);
}

/**
 * Changes where a code points, and returns it with its new target.
 * @throws ParameterError `archived` if the service says so: the short link doesn't work, whatever its target
 */
export async function retargetCode(
  qr: CodeChanger<'retarget'>,
  id: string,
  targetUrl: string,
  options: CallOptions = {},
): Promise<QrCode> {
  const code = await qr.retarget(id, targetUrl, options);
  // The response may be a replay, and the code restored since.
  const current = isArchived(code) ? ((await readNow(qr, id, options)) ?? code) : code;
  return { ...refuseArchived(current, true), targetUrl };
}

/** The code as it is read; undefined if that fails. */
async function readNow(
  qr: Pick<QrCodes, 'get'>,
  id: string,
  { idempotencyKey: _key, ...options }: CallOptions,
): Promise<QrCode | undefined> {
  return qr.get(id, options).catch((failure: unknown) => {
    if (isTransportError(failure) && failure.kind === 'aborted') throw failure;
    return undefined;
  });
}

function refuseArchived(code: QrCode, wasChanged: boolean): QrCode {
  if (isArchived(code)) throw archived(code, wasChanged, '');
  return code;
}
