import { createHash } from 'node:crypto';

/** Bytes of a kept id: with 20,000 of them, one row in ten billion is mistaken for one that is kept. */
const BYTES = 6;

/** What is kept in place of an id: eight characters. */
export function print(id: string): string {
  return createHash('sha256').update(id).digest().toString('base64url', 0, BYTES);
}

/**
 * Numbers from 0 by print, as a short text: each as its distance from the next lower one, so that 10,000 times
 * within minutes take some 93,000 characters, and 20,000 over two centuries at most 300,000.
 */
export function pack(numbers: ReadonlyMap<string, number>): string {
  const bytes: number[] = [];
  let last = 0;
  for (const [key, number] of [...numbers].sort(([, a], [, b]) => a - b)) {
    bytes.push(...Buffer.from(key, 'base64url'));
    let rest = number - last;
    last = number;
    // Seven bits a byte, the lowest first; the eighth says that more follow.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64url');
}

/** What `pack` packed, lowest numbers first. */
export function unpack(text = ''): Map<string, number> {
  const bytes = Buffer.from(text, 'base64url');
  const numbers = new Map<string, number>();
  let number = 0;
  for (let at = 0; at + BYTES < bytes.length;) {
    const key = bytes.toString('base64url', at, (at += BYTES));
    let unit = 1;
    for (let byte = 0x80; byte >= 0x80; unit *= 0x80) {
      byte = bytes[at++] ?? 0;
      number += (byte % 0x80) * unit;
    }
    numbers.set(key, number);
  }
  return numbers;
}
