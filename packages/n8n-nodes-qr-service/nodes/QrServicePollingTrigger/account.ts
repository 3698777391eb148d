import { isApiError, isTransportError, type QrServiceClient } from '../../core.ts';
import type { QrServiceCredentials } from '../shared/credentials.ts';
import { digest } from './digest.ts';

/** Whose rows are watched, as it is kept between polls. */
export interface KeptAccount {
  /** Digest of the base URL. */
  baseUrl: string;
  /** Digest of the base URL and the key. */
  key: string;
  /** ID of the key's workspace; empty where the service doesn't tell. */
  workspace: string;
}

/** What a credential tells by itself. */
export function accountOf({ baseUrl, apiKey }: QrServiceCredentials): Omit<KeptAccount, 'workspace'> {
  return { baseUrl: digest(baseUrl), key: digest([baseUrl, apiKey]) };
}

/**
 * The ID of the key's workspace; empty where the service doesn't tell or refuses to.
 * @throws QrServiceError when it can't be reached or asks to wait
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

/** Whether two accounts are of different workspaces; where either doesn't tell, the base URL decides. */
export function isOther(former: KeptAccount, now: KeptAccount): boolean {
  if (former.workspace === '' || now.workspace === '') return former.baseUrl !== now.baseUrl;
  return former.workspace !== now.workspace;
}
