import { SAMPLE_QR_CODE } from '../../../shared/src/contract/fields.ts';
import type { QrCode, QrCodeInput } from '../../../shared/src/contract/types.ts';
import { apiError } from './apiError.ts';
import { Rows } from './rows.ts';

/** The codes of a service, and what writes do to them. It keeps the names, states and targets that it was sent. */
export class Codes extends Rows {
  /** Whether neither reads nor lists show new codes. */
  isLate = false;
  /** Whether a write is invalid, by the new code's name or the code's ID. */
  isInvalid = (_nameOrId: string): boolean => false;
  /** Where the codes point, by their IDs. */
  readonly targets = new Map<string, string>();
  /** How often each write took effect. */
  readonly effects = new Map<string, number>();
  readonly #results = new Map<string, { write: string; result: unknown }>();

  /** Current state of all codes, whether visible or not. */
  get codes(): QrCode[] {
    return this.rows as QrCode[];
  }

  /** Adds a code that somebody created in the app. */
  add(fields: Partial<QrCode> & { id: string }): QrCode {
    const publicUrl = `https://r.example/${fields.id}`;
    const code: QrCode = { ...SAMPLE_QR_CODE, publicUrl, updatedAt: this.#time(), ...fields };
    this.put(code);
    return code;
  }

  /** Changes a code. Each change of a code has a later time. */
  change(id: string, fields: Partial<QrCode>, lateMs?: number): QrCode {
    const code = this.get(id) as QrCode | undefined;
    if (code === undefined) throw apiError(404, 'not_found');
    if (code.updatedAt >= this.#time()) this.advance(1);
    const changed: QrCode = { ...code, ...fields, updatedAt: this.#time() };
    this.put(changed, lateMs);
    return changed;
  }

  read(id: string): QrCode {
    const code = this.shown(id);
    if (code === undefined) throw apiError(404, 'not_found');
    return code as QrCode;
  }

  create(input: QrCodeInput): QrCode {
    const { name } = input;
    this.#check(name);
    const code = this.add({ id: `new${this.codes.length}`, name, status: 'draft' });
    this.targets.set(code.id, String('content' in input ? input.content['targetUrl'] : input.targetUrl));
    if (this.isLate) this.hide([code.id]);
    return this.#count(`create ${name}`, code);
  }

  publish(id: string): QrCode {
    this.#check(id);
    return this.#count(`publish ${id}`, this.change(id, { status: 'published' }));
  }

  retarget(id: string, url: string): QrCode {
    this.#check(id);
    const code = this.change(id, {});
    this.targets.set(id, url);
    return this.#count(`retarget ${id}`, code);
  }

  /** Executes a write, or replays the first one with its Idempotency-Key. Throws if that was a different write. */
  once<Result>(key: string | undefined, write: string, execute: () => Result) {
    const first = key === undefined ? undefined : this.#results.get(key);
    if (first !== undefined && first.write !== write) throw apiError(409, 'idempotency_conflict');
    const result = first === undefined ? execute() : (first.result as Result);
    if (key !== undefined) this.#results.set(key, { write, result });
    return { result, isReplay: first !== undefined };
  }

  #check(nameOrId: string): void {
    if (this.isInvalid(nameOrId)) throw apiError(422, 'validation_failed');
  }

  #count(write: string, code: QrCode): QrCode {
    this.effects.set(write, (this.effects.get(write) ?? 0) + 1);
    return code;
  }

  #time(): string {
    return new Date(this.now()).toISOString();
  }
}
