import { omitUndefined } from '../json/json.ts';
import type { QrServiceErrorCode } from './codes.ts';
import { joined, showText } from './sentences.ts';

/** Maximum lengths: a part may come from the service. */
const MAX_MESSAGE_LENGTH = 2000;
const MAX_DETAIL_LENGTH = 1000;

/** Marks the errors of every copy of the core: a registered symbol is the same in all of them. */
export const CORE_ERROR = Symbol.for('@qr-service/core/error');

/** Base of every error that the core throws. `code` is a stable string to branch on; the service may add codes. */
export class QrServiceError extends Error {
  override readonly name: string = 'QrServiceError';
  readonly code: QrServiceErrorCode | (string & {});
  /** Where a list failed: all rows before this cursor were returned. Pass it as the query's `cursor` to resume. */
  cursor?: string;
  /** The Idempotency-Key that was sent. It's safe to retry the same call with it. */
  idempotencyKey?: string;
  /** Set only for a write that may have been carried out although it failed. */
  isUnconfirmed?: true;
  /** Set only if that write changes or publishes a code. */
  isUnconfirmedChange?: true;
  /** Name of the code that may have been created although the creation failed. It isn't published. */
  unconfirmedCode?: string;
  /** The part of `message` after its first sentence; may be empty. Not enumerable. */
  declare readonly detail: string;

  /** @param message one sentence, with a period; any others go into `options.detail` */
  constructor(
    message: string,
    options: { code: QrServiceErrorCode | (string & {}); cause?: unknown; detail?: string },
  ) {
    const { code, cause } = options;
    const detail = showText(options.detail ?? '', MAX_DETAIL_LENGTH);
    super(joined([showText(message, MAX_MESSAGE_LENGTH), detail]), omitUndefined({ cause }));
    this.code = code;
    Object.defineProperty(this, 'detail', { value: detail });
  }

  /** Not enumerable. */
  get [CORE_ERROR](): true {
    return true;
  }
}

/** The error for an invalid option or ID, before anything is sent. `detail` says how to fix it, in whole sentences. */
export function invalidInput(message: string, detail = ''): QrServiceError {
  return new QrServiceError(message, { code: 'invalid_input', detail });
}
