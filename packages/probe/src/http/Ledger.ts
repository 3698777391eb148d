import { isApiError, isQrServiceError, type UnsubscribeResult } from '@qr-service/core';
import { isOwnError, showText } from '@qr-service/core/connector';

/** Something that the probe created, or may have created, and whose removal it hasn't seen. */
export interface LeftBehind {
  what: 'code' | 'subscription';
  state: 'is left' | 'may be left';
  /** What to search for in the app: the name of a code, the URL of a subscription. */
  search: string;
  id?: string;
  url?: string;
}

/** What was left behind, as one line. */
export function leftText({ what, state, search, id, url }: LeftBehind): string {
  return showText(
    `${what}${id === undefined ? '' : ` ${id}`} ${state}: ${search}${url === undefined ? '' : `, ${url}`}`,
    400,
  );
}

/**
 * What the probe's writes created, or may have created: each is entered before it is sent. Only the service's own refusal,
 * or a removal that was seen, takes it out.
 */
export class Ledger {
  readonly #entries = new Set<LeftBehind>();
  /** Whether anything was created, or may have been. */
  hasWritten = false;

  /** What is left, or may be. */
  get left(): readonly LeftBehind[] {
    return [...this.#entries];
  }

  /** Creates something. @throws what the client throws */
  async create<Created extends { id: string; publicUrl?: string }>(
    what: LeftBehind['what'],
    search: string,
    send: () => Promise<Created>,
  ): Promise<Created> {
    const entry: LeftBehind = { what, state: 'may be left', search };
    this.#entries.add(entry);
    this.hasWritten = true;
    try {
      const created = await send();
      const { id, publicUrl: url } = created;
      // A replay of the response that created it.
      if (this.#find(what, id) !== undefined) this.#entries.delete(entry);
      else Object.assign(entry, { state: 'is left', id, ...(url !== undefined && { url: showText(url) }) });
      return created;
    } catch (error) {
      if (isCertainlyUndone(error)) this.#entries.delete(entry);
      throw error;
    }
  }

  /**
   * Removes a subscription.
   * @param isDone whether a removal that was accepted is done, too
   * @throws what the client throws
   */
  async remove(
    id: string,
    send: () => Promise<UnsubscribeResult>,
    isDone: () => boolean,
  ): Promise<UnsubscribeResult> {
    const entry = this.#find('subscription', id);
    if (entry !== undefined) entry.state = 'may be left';
    try {
      const result = await send();
      if (entry !== undefined && result === 'removed' && isDone()) this.#entries.delete(entry);
      if (entry !== undefined && result === 'unsupported') entry.state = 'is left';
      return result;
    } catch (error) {
      if (entry !== undefined && isApiError(error) && isCertainlyUndone(error)) entry.state = 'is left';
      throw error;
    }
  }

  #find(what: LeftBehind['what'], id: string): LeftBehind | undefined {
    return [...this.#entries].find((entry) => entry.what === what && entry.id === id);
  }
}

/** Whether a failed write did nothing: it wasn't sent, or the service itself refused it. A proxy's page proves nothing. */
function isCertainlyUndone(error: unknown): boolean {
  if (!isQrServiceError(error) || error.isUnconfirmed === true) return false;
  return !isApiError(error) || (error.status < 500 && isOwnError(error, error.status));
}
