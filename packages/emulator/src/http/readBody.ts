import type { IncomingMessage } from 'node:http';
import { validationFailure } from './apiFailure.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A request's body as text.
 * @throws ApiFailure 422 when it is too large, no UTF-8, or did not arrive whole
 */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      // Read to its end all the same, so that the sender gets to see the answer.
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    throw validationFailure({ body: 'did not arrive whole' });
  }
  if (size > MAX_BODY_BYTES)
    throw validationFailure({ body: `must not be larger than ${MAX_BODY_BYTES} bytes` });
  try {
    return UTF8.decode(Buffer.concat(chunks));
  } catch {
    throw validationFailure({ body: 'is not valid UTF-8' });
  }
}
