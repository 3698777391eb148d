import type { QrCode } from '@qr-service/core';
import { CodeMemory, isSameUrl, targetUrlOf } from '@qr-service/core/connector';
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

  /**
   * Where a code points: where this process has pointed it, unless somebody has changed it since, or else what the record
   * shows. If they disagree, nobody knows.
   */
  of(code: Version): string | undefined {
    const { updatedAt } = code;
    const target = this.#targets.get(code.id);
    const isChanged =
      updatedAt !== undefined && target?.updatedAt !== undefined && updatedAt !== target.updatedAt;
    const known = isChanged ? undefined : target?.url;
    const shown = targetUrlOf(code);
    if (known !== undefined && shown !== undefined && !isSameUrl(known, shown)) return undefined;
    return known ?? shown;
  }

  /** Records that a code was changed by this process, but not where it points. */
  keep(code: Version): void {
    const url = this.#targets.get(code.id)?.url;
    if (url !== undefined) this.set(code, url);
  }
}
