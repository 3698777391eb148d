import { createHash } from 'node:crypto';
import type { QrCode } from '../contract/types.ts';
import { stableJson } from '../json/stableJson.ts';
import { readTime } from '../wire/time.ts';
import { targetUrlOf } from './targetUrl.ts';

const SECOND = 1000;

/**
 * A short hash of a code's status and content, where two changes may share an `updatedAt`: at a whole second. Undefined
 * if the time alone identifies the version. Fields that the API text doesn't show don't count, as they may change without
 * a change of the code, for example a number of scans.
 */
export function codeVersion(code: QrCode): string | undefined {
  const time = readTime(code.updatedAt);
  if (time === undefined || time % SECOND !== 0) return undefined;
  const { name, status, approvalState, folderId, content } = code;
  const state = [name, status, approvalState, folderId, content, targetUrlOf(code)];
  return createHash('sha256').update(stableJson(state)).digest('base64url').slice(0, 11);
}
