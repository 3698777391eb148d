import type { IncomingMessage } from 'node:http';
import { INVALID_REQUEST, isJsonContentType, PARSE_ERROR } from '@modelcontextprotocol/server';
import type { HttpLimits } from './limits.ts';
import { Refusal, SERVER_ERROR } from './Refusal.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the JSON of a request, of limited size and depth.
 * @throws Refusal if it isn't such JSON
 */
export async function readMessage(
  req: IncomingMessage,
  { bodyBytes, depth }: Pick<HttpLimits, 'bodyBytes' | 'depth'>,
): Promise<unknown> {
  if (!isJsonContentType(req.headers['content-type']))
    throw new Refusal(415, SERVER_ERROR, 'Send Content-Type: application/json.');
  const text = decode(await readBody(req, bodyBytes));
  if (isDeeper(text, depth))
    throw new Refusal(400, INVALID_REQUEST, `The JSON is nested more than ${depth} levels deep.`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal(400, PARSE_ERROR, 'The request body is not valid JSON.');
  }
}

/** Refuses at the limit, and discards the rest, so that the client can read the refusal while it still sends. */
function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () => new Refusal(413, SERVER_ERROR, `The request body is larger than ${limit} bytes.`);
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length']) > limit) {
      reject(tooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      reject(tooLarge());
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    // Without an end before, the client is gone.
    req.on('close', () => reject(new Refusal(400, SERVER_ERROR, 'The request body is incomplete.')));
  });
}

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new Refusal(400, PARSE_ERROR, 'The request body is not valid UTF-8.');
  }
}

/** Whether JSON is nested deeper than the limit. Looked up before parsing, because code that walks deep values can fail. */
function isDeeper(json: string, limit: number): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isText) {
      if (char === '\\') at++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === '{' || char === '[') {
      if (++depth > limit) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}
