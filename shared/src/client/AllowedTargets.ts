import { showText } from '../errors/sentences.ts';
import { invalidInput, QrServiceError } from '../errors/QrServiceError.ts';
import { isObject } from '../json/json.ts';
import { addressesIn } from './addressesIn.ts';

/** One entry of the list, as the WHATWG URL standard reads it. */
interface Pattern {
  /** What `originOf` its addresses is. */
  origin: RegExp;
  /** The path's prefix, without a slash at the end; empty for all paths. */
  path: string;
}

/** What users call the list. */
export const ALLOWED_TARGETS_LABEL = 'Allowed Destinations';

const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^/?#@\\*]+)(\/[^?#\\*]*)?$/i;
const SCHEME = /^[a-z][a-z\d+-]*:$/i;
const FORMS =
  'Use example.com, *.example.com, example.com/menu, http://example.com, https://intranet, or a scheme alone, such as tel:. To allow all, leave the list empty.';

/** Schemes that browsers read in any spelling, or that run or contain what they open: no entry can have one alone. */
const OPENED = /^(?:https?|wss?|ftp|file|javascript|data|blob|intent):$/;
/** Names of fields whose text is an address, even without a scheme. */
const ADDRESS_FIELD = /ur[li]s?$/i;
/** What no host in an entry contains: empty parts, and characters that come from other separators, quotes and brackets. */
const NO_HOST = /^\.|\.\.|[^\w.[\]:-]/;
/** Maximum length of a host in an error. */
const MAX_HOST_LENGTH = 100;

/** The hosts, paths and schemes that codes may point to. An empty list allows all. */
export class AllowedTargets {
  readonly #patterns: readonly Pattern[];

  /**
   * @param list entries, or text with entries separated by white space, commas or semicolons
   * @throws QrServiceError `invalid_input`, with the number of the first invalid entry
   */
  constructor(list: string | readonly string[] = []) {
    const text = [list].flat().join('\n');
    // Separators alone may be what is left of a list whose parts are missing.
    this.#patterns = (text.match(/[^\s,;]+/g) ?? text.match(/\S/g) ?? []).map(readPattern);
  }

  /** Whether the list has entries. */
  get isLimiting(): boolean {
    return this.#patterns.length > 0;
  }

  /**
   * Returns a value with exactly the addresses that were checked: as JSON, with fields that hold an address in the form
   * that browsers make of it, so that no other reader takes it for another one.
   * @throws QrServiceError `target_not_allowed` if anything in it leads elsewhere
   */
  check<Value extends object>(value: Value): Value {
    return this.isLimiting ? (this.#checked(JSON.parse(JSON.stringify(value)), '') as Value) : value;
  }

  #checked(value: unknown, field: string): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.#checked(entry, field));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [this.#checked(name, ''), this.#checked(one, name)]),
      );
    if (typeof value !== 'string' || value.trim() === '') return value;
    if (ADDRESS_FIELD.test(field)) return this.#address(value);
    this.#text(value);
    return value;
  }

  #address(text: string): string {
    const url = parse(text) ?? parse(`https://${text}`);
    if (url === undefined) throw notAllowed('An invalid address');
    const origin = originOf(url);
    const shown = showText(origin.replace('https://', ''), MAX_HOST_LENGTH);
    const patterns = this.#patterns.filter((pattern) => pattern.origin.test(origin));
    if (patterns.length === 0) throw notAllowed(shown.endsWith(':') ? `An address with ${shown}` : shown);
    // It looks like the host, and other programs read it differently.
    if (url.username !== '' || url.password !== '') throw notAllowed(`${shown} with a user name`);
    if (patterns.some(({ path }) => isBelow(url.pathname, path))) return url.href;
    throw notAllowed(`This path on ${shown}`);
  }

  /** A text leads to what it is as a whole, and to each address in it. Other schemes, such as `tel:`, lead to no website. */
  #text(text: string): void {
    const start = text.replaceAll(/[\t\n\r]/g, '').replace(/^[\0- \s\p{Cf}]+/u, '');
    const whole = parse(/^[\\/]{2}/.test(start) ? `https:${start}` : start);
    if (whole !== undefined && OPENED.test(whole.protocol)) this.#address(whole.href);
    for (const address of addressesIn(text)) this.#address(address);
  }
}

/** @param what names the host, but neither the whole address, which may be secret, nor the list */
function notAllowed(what: string): QrServiceError {
  return new QrServiceError(`${what} isn't an allowed destination.`, { code: 'target_not_allowed' });
}

function readPattern(entry: string, index: number): Pattern {
  if (SCHEME.test(entry) && !OPENED.test(entry.toLowerCase()))
    return { origin: new RegExp(`^${escaped(entry.toLowerCase())}$`), path: '' };
  const [, scheme, wildcard, host, path = '/'] = ENTRY.exec(entry) ?? [];
  const url = host === undefined ? undefined : parse(`${scheme ?? 'https'}://${host}${path}`);
  // A host without a dot is often a mistake, so it needs its scheme.
  if (url === undefined || NO_HOST.test(url.hostname) || (scheme === undefined && !/[.[]/.test(url.hostname)))
    throw invalidInput(`Entry ${index + 1} of ${ALLOWED_TARGETS_LABEL} isn't valid.`, FORMS);
  const subdomains = wildcard === undefined ? '' : String.raw`[^./][^/]*\.`;
  // A dot at the end means the same host.
  const hosts = `${subdomains}${escaped(url.hostname.replace(/\.$/, ''))}\\.?`;
  return {
    origin: new RegExp(`^${url.protocol}//${hosts}${url.port && `:${url.port}`}$`),
    path: plain(url.pathname).replace(/\/$/, ''),
  };
}

/** The scheme, host and port of a web address; only the scheme of any other. */
function originOf({ protocol, origin }: URL): string {
  return /^https?:$/.test(protocol) ? origin : protocol;
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w-]/g, String.raw`\$&`);
}

/** Whether a path is a prefix or below it. A server may decode a path or drop parameters after a semicolon, and then go up. */
function isBelow(pathname: string, prefix: string): boolean {
  const path = plain(pathname);
  return prefix === '' || (`${path}/`.startsWith(`${prefix}/`) && !/%(?:25)*(?:2[ef]|5c)|\.;/i.test(path));
}

/** A path without needless escapes. */
function plain(pathname: string): string {
  return pathname.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
