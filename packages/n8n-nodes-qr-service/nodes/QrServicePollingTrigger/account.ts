import { createHash } from 'node:crypto';
import {
  isApiError,
  isTransportError,
  readBaseUrl,
  type Connection,
  type QrServiceClient,
} from '../../core.ts';

/** Whose rows are polled, as stored between polls. */
export interface StoredAccount {
  /** Digest of the base URL. */
  baseUrl: string;
  /** Digest of the base URL and the API key. */
  key: string;
  /** ID of the key's workspace; empty if unknown. */
  workspace: string;
}

/**
 * The account as far as it is known from the credential alone, however its base URL is written.
 * @throws QrServiceError `invalid_input` for an invalid base URL
 */
export function accountOf({ baseUrl, apiKey }: Connection): Omit<StoredAccount, 'workspace'> {
  const url = readBaseUrl(baseUrl);
  return { baseUrl: digest(url), key: digest([url, apiKey]) };
}

/**
 * The ID of the key's workspace; empty if the service doesn't return it or rejects the request.
 * @throws QrServiceError if it can't be reached or is rate limiting
 */
export async function readWorkspace(client: QrServiceClient, signal: AbortSignal): Promise<string> {
  try {
    return (await client.me({ signal })).workspace?.id ?? '';
  } catch (error) {
    if (signal.aborted || isTransportError(error) || (isApiError(error) && error.retryable))
      throw error as Error;
    return '';
  }
}

/** Whether two accounts belong to different workspaces; if either workspace is unknown, the base URL decides. */
export function isOtherWorkspace(former: StoredAccount, current: StoredAccount): boolean {
  if (former.workspace === '' || current.workspace === '') return former.baseUrl !== current.baseUrl;
  return former.workspace !== current.workspace;
}

/** A hash of any JSON value, so that neither a key nor a URL is stored. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url');
}
