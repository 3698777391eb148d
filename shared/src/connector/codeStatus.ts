import type { QrCode } from '../contract/types.ts';

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
