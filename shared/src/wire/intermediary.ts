import { readHeader, type WireHeaders } from './headers.ts';
import { mimeName } from './image.ts';

/** Removes secrets. Applied before anything is shortened, as half a key is still a secret. */
export type Redact = <T extends object>(value: T) => T;

const SERVER = /^[A-Za-z][\w.-]{0,39}(?=$|[/ ])/;

/**
 * Content type and server of a response that isn't the service's own, for example `text/html, from cloudflare`. A
 * header may contain anything, so only the server's name is included.
 */
export function describeIntermediary(headers: WireHeaders, redact: Redact): string {
  const { type, server = '' } = redact({
    type: readHeader(headers, 'Content-Type'),
    server: readHeader(headers, 'Server'),
  });
  const name = SERVER.exec(server)?.[0];
  const parts = [mimeName(type), name && `from ${name}`].filter((part) => part !== undefined);
  return parts.join(', ') || 'no content type';
}
