import type { QrCode } from '../contract/types.ts';
import { describeCode } from './codeText.ts';
import { ParameterError } from './parameters/ParameterError.ts';
import { showInput } from './parameters/showValue.ts';

const SCHEME = /^https?:\/\//i;
/** Maximum length of a URL. The rest is ignored. */
const MAX_LENGTH = 4096;
/** Parameters that campaigns add to any link. */
const CAMPAIGN = /^utm_/i;

/** A short link, taken apart. Parts that don't distinguish codes are left out, so all its spellings are equal. */
export interface ShortLink {
  /** Host and path; empty for anything but text. */
  page: string;
  /** `name=value`, without campaign parameters. */
  parameters: readonly string[];
  /** With its `#`; may be empty. */
  fragment: string;
}

/**
 * Reads a short link: with or without a scheme or a trailing slash, with the host in any case, escaped or not, in either
 * Unicode form.
 */
export function readShortLink(link: unknown): ShortLink {
  const text = typeof link === 'string' ? link.trim().slice(0, MAX_LENGTH).normalize('NFC') : '';
  const url = SCHEME.test(text) ? text : `https://${text}`;
  if (!URL.canParse(url)) return { page: text, parameters: [], fragment: '' };
  const { host, pathname, searchParams, hash } = new URL(url);
  const path = unescaped(pathname)
    .normalize('NFC')
    .replace(/(?<!\/)\/+$/, '');
  return {
    page: host + path,
    parameters: [...searchParams]
      .filter(([name]) => !CAMPAIGN.test(name))
      .map(([name, value]) => `${name}=${value}`),
    fragment: hash,
  };
}

/** Whether a link that somebody entered opens a code's short link: it may have further parameters or a fragment. */
export function opens(entered: ShortLink, code: ShortLink): boolean {
  return (
    code.page !== '' &&
    entered.page === code.page &&
    code.parameters.every((parameter) => entered.parameters.includes(parameter)) &&
    (code.fragment === '' || entered.fragment === code.fragment)
  );
}

/** Whether a link that opens a code's short link has nothing else in it. */
export function isExactly(entered: ShortLink, code: ShortLink): boolean {
  return entered.parameters.length === code.parameters.length && entered.fragment === code.fragment;
}

/**
 * The only code that a short link opens; undefined if none of these does.
 * @throws ParameterError `ambiguous_link` if it opens several: none of them is surely the one that is meant
 */
export function codeOpenedBy(link: string, codes: readonly QrCode[]): QrCode | undefined {
  const entered = readShortLink(link);
  const opened = codes.filter((code) => opens(entered, readShortLink(code.publicUrl)));
  const exact = opened.filter((code) => isExactly(entered, readShortLink(code.publicUrl)));
  const [code, other] = exact.length > 0 ? exact : opened;
  if (other === undefined || code === undefined) return code;
  throw new ParameterError(`More than one QR code has the short link ${showInput(link)}.`, {
    code: 'ambiguous_link',
    parameter: 'QR Code',
    advice: `Use the ID of one of them: ${describeCode(code)}, ${describeCode(other)}.`,
  });
}

function unescaped(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
