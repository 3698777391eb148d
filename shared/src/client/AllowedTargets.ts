import { invalidInput, QrServiceError } from '../errors/QrServiceError.ts';
import { showText } from '../errors/sentences.ts';

interface Entry {
  url: URL;
  /** Whether only the subdomains of the host are allowed. */
  isWildcard: boolean;
}

const FORMS =
  'Use example.com, *.example.com, example.com/menu, http://example.com or https://intranet. To allow all, leave the list empty.';
const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^/?#@\\*]+(?:\/[^?#\\*]*)?)$/i;
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[.*\])$/;

/** The hosts and paths that codes may point to. An empty list allows all. */
export class AllowedTargets {
  readonly #entries: readonly Entry[];

  /** In text, white space, commas or semicolons separate entries. Throws `invalid_input` with the number of an invalid one. */
  constructor(list: string | readonly string[] = [], label = 'allowedTargets') {
    const text = [list].flat().join('\n');
    // Separators alone may be what is left of a list whose parts are missing.
    const entries = text.match(/[^\s,;]+/g) ?? text.match(/\S/g) ?? [];
    this.#entries = entries.map((entry, index) => readEntry(entry, `Entry ${index + 1} of ${label}`));
  }

  /** Whether the list has entries. */
  get isLimiting(): boolean {
    return this.#entries.length > 0;
  }

  /** Returns the form that browsers make of an allowed URL, as other readers could take it for another one, or throws. */
  check(targetUrl: string): string {
    if (!this.isLimiting) return targetUrl;
    if (!URL.canParse(targetUrl)) throw notAllowed('An invalid address');
    const url = new URL(targetUrl);
    if (!/^https?:$/.test(url.protocol)) throw notAllowed(`An address with ${url.protocol}`);
    const host = showText(url.origin.replace('https://', ''));
    const entries = this.#entries.filter((entry) => allowsHost(entry, url));
    if (entries.length === 0) throw notAllowed(host);
    // It looks like the host, and other programs read it differently.
    if (url.username !== '' || url.password !== '') throw notAllowed(`${host} with a user name`);
    if (!entries.some((entry) => allowsPath(entry, url))) throw notAllowed(`This path on ${host}`);
    return url.href;
  }

  /** The same for a code's content, which can't be anything but one URL then. */
  checkContent(content: Record<string, unknown>): Record<string, unknown> {
    if (!this.isLimiting) return content;
    const { targetUrl, ...others } = content;
    if (typeof targetUrl !== 'string' || Object.keys(others).length > 0)
      throw notAllowed('Content other than a URL');
    return { targetUrl: this.check(targetUrl) };
  }
}

/** `what` names the host, but neither the whole address, which may be secret, nor the list. */
function notAllowed(what: string): QrServiceError {
  return new QrServiceError(`${what} isn't an allowed destination.`, { code: 'target_not_allowed' });
}

function readEntry(entry: string, place: string): Entry {
  const [, scheme, wildcard, rest = ''] = ENTRY.exec(entry) ?? [];
  const address = `${scheme ?? 'https'}://${rest}`;
  const { hostname = '' } = URL.canParse(address) ? new URL(address) : {};
  // A host without a dot is often a mistake, so it needs its scheme.
  if (!HOST.test(hostname) || (scheme === undefined && !/[.[]/.test(hostname)))
    throw invalidInput(`${place} isn't valid.`, FORMS);
  return { url: new URL(address), isWildcard: wildcard !== undefined };
}

function allowsHost({ url: allowed, isWildcard }: Entry, url: URL): boolean {
  if (url.protocol !== allowed.protocol || url.port !== allowed.port) return false;
  const host = withoutFinalDot(url.hostname);
  const allowedHost = withoutFinalDot(allowed.hostname);
  return isWildcard ? host.endsWith(`.${allowedHost}`) && !host.startsWith('.') : host === allowedHost;
}

/** A dot at the end means the same host. */
function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

/** Whether a path is an entry's or below it. A server may decode a path, or drop what follows a semicolon, and then go up. */
function allowsPath({ url }: Entry, { pathname }: URL): boolean {
  const prefix = url.pathname.replace(/\/$/, '');
  return prefix === '' || (`${pathname}/`.startsWith(`${prefix}/`) && !/%(?:25|2e|2f|5c)|;/i.test(pathname));
}
