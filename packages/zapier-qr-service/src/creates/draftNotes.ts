import { randomUUID } from 'node:crypto';
import { idempotencyKeyFrom } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { readCache, writeCache, writeFirst } from '../client/cache.ts';
import { withTimeout } from '../client/withTimeout.ts';

/** A draft that a throttled run has left. */
interface Note {
  /** Differs for each note, even of the same draft. */
  token: string;
  draft: QrCode;
}

/** Maximum number of notes for the same inputs in a day. */
const SLOTS = 60;
/** How many of them a run tries before it gives up. */
const MAX_TRIES = 5;
/** Time limits in milliseconds: each run pays for the first look, a run that has found a note for the second. */
const LOOK_MS = 2_000;
const TAKE_MS = 8_000;
/** The same for leaving a note: a run ends at 27 s, and Zapier ends it at 30 s. */
const PUT_MS = 2_500;

/**
 * Notes of drafts in Zapier's cache, so that the rerun of a throttled run publishes its draft. Zapier passes no ID of a
 * run, so a note belongs to the inputs: runs with the same inputs may swap their drafts.
 *
 * Each note is in a slot of its own, and whoever takes it is the first to claim its token. So each is taken once, and a
 * rerun that finds none knows that another run has taken its note, and will publish that draft. The mark that there are
 * notes is written after each note, so it lasts longer; a claim is younger than its note, so it does, too.
 */
export class DraftNotes {
  readonly #z: ZObject;
  readonly #key: string;

  /** @param inputs the step and its inputs */
  constructor(z: ZObject, inputs: readonly unknown[]) {
    this.#z = z;
    this.#key = `draft:${idempotencyKeyFrom(inputs)}`;
  }

  /** Takes a note, if there is one. If the cache fails, there is none: it may never work, and must not stop anything. */
  async take(): Promise<QrCode | undefined> {
    try {
      if ((await withTimeout(readCache(this.#z, this.#key), LOOK_MS)) === null) return undefined;
      return await withTimeout(this.#take(), TAKE_MS);
    } catch {
      this.#z.console.log("Zapier's cache didn't respond. If an earlier run left a draft, it stays a draft.");
      return undefined;
    }
  }

  /** Leaves a note. Returns whether it is certainly there. */
  async put(draft: QrCode): Promise<boolean> {
    try {
      return await withTimeout(this.#put({ token: randomUUID(), draft }), PUT_MS);
    } catch {
      return false;
    }
  }

  async #take(): Promise<QrCode | undefined> {
    const slots = Array.from({ length: SLOTS }, (_, slot) => readCache(this.#z, this.#slotKey(slot)));
    for (const note of (await Promise.all(slots)) as (Note | null)[]) {
      if (note === null) continue;
      const own = randomUUID();
      if ((await writeFirst(this.#z, `draft:taken:${note.token}`, own)) === own) return note.draft;
    }
    return undefined;
  }

  async #put(note: Note): Promise<boolean> {
    const first = Math.floor(Math.random() * SLOTS);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const key = this.#slotKey((first + tries) % SLOTS);
      const stored = (await writeFirst(this.#z, key, note)) as Note | null;
      if (stored?.token !== note.token) continue;
      await writeCache(this.#z, this.#key, 1);
      return (await readCache(this.#z, this.#key)) !== null;
    }
    return false;
  }

  #slotKey(slot: number): string {
    return `${this.#key}:${slot}`;
  }
}
