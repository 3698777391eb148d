import type { QrCode } from '../contract/types.ts';

/** The statuses that the API text names or implies ("States"). A service has others, too. */
export const KNOWN_STATUSES: readonly string[] = ['published', 'archived', 'deleted'];

/** Whether a code's short link works (API text, "States"). */
export function isPublished({ status }: QrCode): boolean {
  return status === 'published';
}

/** An archived code's short link doesn't work, and publishing isn't documented to change that (API text, "States"). */
export function isArchived({ status }: QrCode): boolean {
  return status === 'archived';
}

/** Whether a code was deleted, if the service still shows it (API text, "States"). */
export function isDeleted({ status }: QrCode): boolean {
  return status === 'deleted';
}
