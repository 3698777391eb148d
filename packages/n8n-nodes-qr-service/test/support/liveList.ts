import { ApiError } from '../../../../shared/src/client/ApiError.ts';
import { walk, type Walk } from '../../../../shared/src/client/walk.ts';

/** A code of the list. */
export interface LiveCode extends Record<string, unknown> {
  id: string;
  status: 'draft' | 'published' | 'archived';
  updatedAt: string;
}

/** How the list shows its codes. */
export interface LiveListShape {
  order: 'ascending' | 'descending' | 'id';
  since: 'inclusive' | 'exclusive';
  pageSize: number;
}

/**
 * A list of codes as a service without snapshots would page through it: each page begins behind the place of
 * the last one, in the list as it is then. What changes during a walk may come twice in it, or not at all.
 */
export class LiveList {
  /** Called before each page; a page fails with what it throws. */
  beforePage: () => void = () => undefined;
  readonly #shape: LiveListShape;
  readonly #codes: LiveCode[] = [];
  #now = Date.UTC(2026, 0, 1);
  #generation = 0;

  constructor(shape: LiveListShape) {
    this.#shape = shape;
  }

  /** All codes as they are. */
  get codes(): LiveCode[] {
    return this.#codes.map((code) => ({ ...code }));
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  /** No cursor given so far can be used any more. */
  expireCursors(): void {
    this.#generation += 1;
  }

  create(): void {
    const number = this.#codes.length;
    // The order of the ids is not that in which the codes were made.
    const id = `qr-${String((number * 7919) % 10_007).padStart(5, '0')}`;
    this.#codes.push({ id, status: 'draft', updatedAt: this.#time() });
  }

  /** Edits one of the codes, if there are any; one that is given a status may have it already. */
  edit(nth: number, status?: LiveCode['status']): void {
    const code = this.#codes[nth % this.#codes.length];
    if (code === undefined || code.status === status) return;
    // Two states of one code with one time can't be told apart by anyone.
    if (code.updatedAt === this.#time()) this.advance(1);
    code.status = status ?? code.status;
    code.updatedAt = this.#time();
  }

  walk(since: string | undefined, cursor: string | undefined): Walk<LiveCode> {
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is to reject
    return walk(async (at) => this.#page(since, at), { cursor });
  }

  #page(since: string | undefined, cursor: string | undefined) {
    this.beforePage();
    const [generation, after] = (cursor?.split('/') ?? [`${this.#generation}`, '']) as [string, string];
    if (generation !== `${this.#generation}`) throw refusal('invalid_cursor');
    const places = this.#codes
      .filter(({ updatedAt }) => since === undefined || this.#isSince(updatedAt, since))
      .map((code) => ({ code: { ...code }, place: this.#place(code) }))
      .filter(({ place }) => after === '' || this.#compare(place, after) > 0)
      .sort((a, b) => this.#compare(a.place, b.place));
    const page = places.slice(0, this.#shape.pageSize);
    const nextCursor = places.length > page.length ? `${this.#generation}/${page.at(-1)!.place}` : undefined;
    return { rows: page.map(({ code }) => code), ...(nextCursor === undefined ? {} : { nextCursor }) };
  }

  #isSince(time: string, since: string): boolean {
    return this.#shape.since === 'inclusive' ? time >= since : time > since;
  }

  #place({ id, updatedAt }: LiveCode): string {
    return this.#shape.order === 'id' ? id : `${updatedAt} ${id}`;
  }

  #compare(a: string, b: string): number {
    return (a < b ? -1 : a > b ? 1 : 0) * (this.#shape.order === 'descending' ? -1 : 1);
  }

  #time(): string {
    return new Date(this.#now).toISOString();
  }
}

/** An answer that refuses a page. */
export function refusal(code: 'invalid_cursor' | 'insufficient_scope'): ApiError {
  const status = code === 'invalid_cursor' ? 422 : 403;
  return new ApiError({ status, code, message: code, retryable: false, method: 'GET', path: '/qr' });
}
