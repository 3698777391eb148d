/** A body as text; undefined if the transport has already parsed it. */
export function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return undefined;
}

/** Size of a body in bytes or characters; 0 if the transport has already parsed it. */
export function bodySize(body: unknown): number {
  if (typeof body === 'string') return body.length;
  return body instanceof Uint8Array ? body.length : 0;
}

/** A body as bytes in a buffer of their own: a received chunk shares its buffer with the response's headers. */
export function bodyBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array)
    return body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
  return new TextEncoder().encode(bodyText(body));
}

/** Parses JSON; undefined if the text isn't valid JSON. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
