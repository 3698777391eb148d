import { resolveCodeId, shortLinkSearch, type FindShortLink } from '@qr-service/core/connector';
import * as z from 'zod';
import type { ToolCall } from './Tool.ts';

/** How long the list of codes may be read for a name or a link, in milliseconds: clients give up after a minute. */
export const SEARCH_MS = 45_000;

/** The argument that names a code. */
export const CODE_ARGUMENT = z
  .string()
  .describe("The QR code's ID, or its short link as printed. find_qr_codes finds it by name.");

/** ID of the code that the argument `code` names. A short link is looked up among the workspace's codes. */
export async function codeIdOf(
  { client, args, signal }: Pick<ToolCall, 'client' | 'args' | 'signal'>,
  findShortLink: FindShortLink = shortLinkSearch(client, { searchMs: SEARCH_MS, signal }),
): Promise<string> {
  const id = await resolveCodeId(args.requiredText('code'), findShortLink);
  // A printed link whose host has no dot, such as one of a local network, looks like an ID.
  return id.includes('/') ? ((await findShortLink(id)) ?? id) : id;
}
