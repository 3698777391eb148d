import type { IncomingMessage } from 'node:http';
import { validationFailure } from './apiFailure.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request's body as text.
 * @throws ApiFailure 422 when it is too large, not UTF-8 or incomplete
 */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      // Keep reading to the end, so that the sender receives the response.
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    throw validationFailure({ body: 'is incomplete' });
  }
  if (size > MAX_BODY_BYTES)
    throw validationFailure({ body: `must not be larger than ${MAX_BODY_BYTES} bytes` });
  try {
    return UTF8.decode(Buffer.concat(chunks));
  } catch {
    throw validationFailure({ body: 'is not valid UTF-8' });
  }
}
