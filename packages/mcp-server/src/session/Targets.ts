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
  readonly #targets = new BoundedMap<string, { url: string | undefined; updatedAt: string | undefined }>(
    MAX_REMEMBERED,
  );

  /** Records where a code points, as far as that is known. `code` is how it was after the change. */
  set(code: Version, url: string | undefined): void {
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
    const known = this.#known(code);
    const shown = targetUrlOf(code);
    if (known !== undefined && shown !== undefined && !isSameUrl(known, shown)) return undefined;
    return known ?? shown;
  }

  /**
   * Records a change that leaves a code's target as it is.
   * @param before the code as it was read before the change: somebody else may have changed its target by then
   */
  keep(before: Version, code: Version): void {
    this.set(code, this.#known(before.updatedAt === undefined ? code : before));
  }

  /** Where this process has pointed a code, unless somebody has changed it since. */
  #known({ id, updatedAt }: Version): string | undefined {
    const target = this.#targets.get(id);
    const isChanged = updatedAt !== undefined && updatedAt !== target?.updatedAt;
    return isChanged ? undefined : target?.url;
  }
}
