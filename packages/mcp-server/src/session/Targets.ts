import type { QrCode } from '@qr-service/core';
import { CodeMemory } from '@qr-service/core/connector';
import { BoundedMap } from './BoundedMap.ts';

/** Codes whose target is remembered. */
const MAX_REMEMBERED = 10_000;

/** Part of a code that tells whether it was changed or published. */
type Version = Pick<QrCode, 'id'> & Partial<Pick<QrCode, 'updatedAt' | 'status'>>;

/** Where codes point, as far as this process has set it: the service may not say. */
export class Targets {
  /** The same for the core, with whether the codes were published. */
  readonly memory = new CodeMemory();
  readonly #targets = new BoundedMap<string, { url: string; updatedAt: string | undefined }>(MAX_REMEMBERED);

  /** Records where a code points. `code` is how it was after the change. */
  set(code: Version, url: string): void {
    const { id, updatedAt } = code;
    this.#targets.set(id, { url, updatedAt });
    const published = code.status === 'published' || this.memory.hasPublished(code);
    this.memory.setState(code, { targetUrl: url, published });
  }

  /** Where a code points; undefined if it isn't known, or if the code was changed by anybody else since. */
  of({ id, updatedAt }: Version): string | undefined {
    const target = this.#targets.get(id);
    const isChanged =
      updatedAt !== undefined && target?.updatedAt !== undefined && updatedAt !== target.updatedAt;
    return isChanged ? undefined : target?.url;
  }

  /** Records that a code was changed by this process, but not where it points. */
  keep(code: Version): void {
    const url = this.#targets.get(code.id)?.url;
    if (url !== undefined) this.set(code, url);
  }
}
