import { invalidInput, QrServiceError } from '../errors/QrServiceError.ts';
import { showText } from '../errors/sentences.ts';

/** One entry of the list, as the WHATWG URL standard reads it. */
interface Entry {
  url: URL;
  /** Whether only the subdomains of the host are allowed. */
  isWildcard: boolean;
}

/** What users call the list. */
export const ALLOWED_TARGETS_LABEL = 'Allowed Destinations';

const FORMS =
  'Use example.com, *.example.com, example.com/menu, http://example.com or https://intranet. To allow all, leave the list empty.';
const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^/?#@\\*]+(?:\/[^?#\\*]*)?)$/i;
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[.*\])$/;
/** Maximum length of a host in an error. */
const MAX_HOST_LENGTH = 100;

/** The hosts and paths that codes may point to. An empty list allows all. */
export class AllowedTargets {
  readonly #entries: readonly Entry[];

  /**
   * @param list entries, or text with entries separated by white space, commas or semicolons
   * @throws QrServiceError `invalid_input`, with the number of the first invalid entry
   */
  constructor(list: string | readonly string[] = []) {
    const text = [list].flat().join('\n');
    // Separators alone may be what is left of a list whose parts are missing.
    this.#entries = (text.match(/[^\s,;]+/g) ?? text.match(/\S/g) ?? []).map(readEntry);
  }

  /** Whether the list has entries. */
  get isLimiting(): boolean {
    return this.#entries.length > 0;
  }

  /**
   * Returns content with exactly the address that was checked, in the form that browsers make of it, so that no other
   * reader takes it for another one. While the list has entries, content can't be anything but one address.
   * @throws QrServiceError `target_not_allowed` if it leads elsewhere
   */
  check<Content extends object>(content: Content): Content {
    if (!this.isLimiting) return content;
    const [[field, address] = ['', undefined], ...others] = Object.entries(content) as [string, unknown][];
    if (typeof address !== 'string' || !['url', 'targetUrl'].includes(field) || others.length > 0)
      throw notAllowed('Content other than a URL');
    return { [field]: this.#checked(address) } as Content;
  }

  #checked(address: string): string {
    if (!URL.canParse(address)) throw notAllowed('An invalid address');
    const url = new URL(address);
    if (!/^https?:$/.test(url.protocol)) throw notAllowed(`An address with ${url.protocol}`);
    const host = showText(url.origin.replace('https://', ''), MAX_HOST_LENGTH);
    const entries = this.#entries.filter((entry) => allowsHost(entry, url));
    if (entries.length === 0) throw notAllowed(host);
    // It looks like the host, and other programs read it differently.
    if (url.username !== '' || url.password !== '') throw notAllowed(`${host} with a user name`);
    if (!entries.some((entry) => allowsPath(entry, url))) throw notAllowed(`This path on ${host}`);
    return url.href;
  }
}

/** @param what names the host, but neither the whole address, which may be secret, nor the list */
function notAllowed(what: string): QrServiceError {
  return new QrServiceError(`${what} isn't an allowed destination.`, { code: 'target_not_allowed' });
}

function readEntry(entry: string, index: number): Entry {
  const [, scheme, wildcard, rest = ''] = ENTRY.exec(entry) ?? [];
  const address = `${scheme ?? 'https'}://${rest}`;
  const { hostname = '' } = URL.canParse(address) ? new URL(address) : {};
  // A host without a dot is often a mistake, so it needs its scheme.
  if (!HOST.test(hostname) || (scheme === undefined && !/[.[]/.test(hostname)))
    throw invalidInput(`Entry ${index + 1} of ${ALLOWED_TARGETS_LABEL} isn't valid.`, FORMS);
  return { url: new URL(address), isWildcard: wildcard !== undefined };
}

function allowsHost({ url: allowed, isWildcard }: Entry, url: URL): boolean {
  if (url.protocol !== allowed.protocol || url.port !== allowed.port) return false;
  // A dot at the end means the same host.
  const [host = '', allowedHost = ''] = [url, allowed].map(({ hostname }) => hostname.replace(/\.$/, ''));
  return isWildcard ? host.endsWith(`.${allowedHost}`) && !host.startsWith('.') : host === allowedHost;
}

/** Whether a path is an entry's or below it. A server may decode a path, or drop what follows a semicolon, and then go up. */
function allowsPath({ url }: Entry, { pathname }: URL): boolean {
  const prefix = url.pathname.replace(/\/$/, '');
  return prefix === '' || (`${pathname}/`.startsWith(`${prefix}/`) && !/%(?:25|2e|2f|5c)|;/i.test(pathname));
}
