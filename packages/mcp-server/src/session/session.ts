import { idempotencyKeyFrom, type QrCode } from '@qr-service/core';
import { targetUrlOf, turns, type CodeMemory } from '@qr-service/core/connector';
import { LRUCache } from 'lru-cache';

/** What a session knows, so that a model that repeats itself makes nothing twice. */
export type Session = ReturnType<typeof createSession>;

/** @param id unique */
export function createSession(id: string) {
  return {
    /** ID of the code by the key of its creation. */
    created: new LRUCache<string, string>({ max: 10_000 }),
    /** Runs work that would create the same code if it ran at once. */
    inTurn: turns(),
    /** The Idempotency-Key of a creation: the same for the same input. A second code on purpose has another `copy`. */
    creationKey: ({ name, targetUrl }: { name: string; targetUrl: string }, copy = 1) =>
      idempotencyKeyFrom([id, 'create', name, targetUrl, copy]),
  };
}

/** Where a code points: where this process has pointed it, unless somebody has changed it since, or what the record shows. */
export function targetOf(memory: CodeMemory, code: Pick<QrCode, 'id'>): string | undefined {
  return memory.targetOf(code) ?? targetUrlOf(code);
}

/** Records that a code points where it did before a change, as far as that is known. */
export function keepTarget(memory: CodeMemory, before: Pick<QrCode, 'id'>, code: QrCode): void {
  const url = memory.targetOf(before);
  memory.forgetTarget(code.id);
  if (url !== undefined) memory.setTarget(code, url);
}
