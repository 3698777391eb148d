import { Buffer } from 'node:buffer';

/** A body that may have been signed. */
interface BodyVariation {
  body: Uint8Array;
  /** How it was changed in transit, as whole sentences. */
  change: string;
}

/** Undoes what proxies, frameworks and tools are known to do to a body, simplest first. */
export function bodyVariations(received: Uint8Array): BodyVariation[] {
  const text = Buffer.from(received).toString('utf8');
  const texts: [change: string, text: string][] = [
    ['Whitespace, such as a line break, was added at the start or end.', text.trim()],
    ['The line break at the end was removed.', `${text}\n`],
    ...serializations(text),
  ];
  return texts.map(([change, body]) => ({ change, body: Buffer.from(body) }));
}

/** How common libraries write the same JSON. */
function serializations(text: string): [change: string, text: string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const compact = JSON.stringify(value);
  const spaced = compact.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token.length === 1 ? `${token} ` : token,
  );
  const change = 'The JSON was parsed and serialized again: use the raw body.';
  return [
    [`${change} It was signed without spaces.`, compact],
    [`${change} It was signed with spaces, as Python writes it.`, spaced],
    [`${change} It was signed with spaces, as Python writes it.`, ascii(spaced)],
    [`${change} It was signed with indents of two spaces.`, JSON.stringify(value, undefined, 2)],
  ];
}

const ascii = (text: string) =>
  text.replaceAll(/[^\0-~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
