import { LOST_CHARACTER, PLACEHOLDER, refuseMistakes, type Mistake } from './mistakes.ts';
import type { ParameterInfo } from './ParameterError.ts';
import { INVISIBLE, toRequiredText } from './text.ts';

/** A host with a dot, such as `example.com:8080` or `http.cat`, at the start, maybe with too many dots. Prices aren't hosts. */
const HOST =
  /^(?!https?\.[^:/?#]*\.)(?:[\p{L}\p{M}\p{N}_-]+\.+)+\p{L}[\p{L}\p{M}\p{N}-]+(?::\d{1,5})?(?=[/?#]|[,;|]*$)/iu;

/** The schemes that phones open without `//`, as their apps' makers and the HTML standard list them. */
const LINKS = [
  'mailto|tel|callto|sms|smsto|mms|mmsto|sip|sips|facetime|facetime-audio|skype|imessage|wtai',
  'whatsapp|tg|viber|xmpp|matrix|im|irc|ircs|msteams|nostr|simplex|openpgp4fpr',
  'geo|maps|comgooglemaps|google\\.navigation|google\\.streetview|market|itms-apps|intent',
  'bitcoin|bitcoincash|litecoin|dogecoin|dash|zcash|monero|ethereum|solana|cardano|ripple|tron|ton|nano',
  'lightning|lnurl[pwc]?|wc|upi|payto|web\\+[a-z]+',
  'spotify|soundcloud|vnd\\.youtube|calshow|message|feed|webcal|magnet|urn|did|news|nntp|ftp|ftps|sftp|ssh',
].join('|');

/** The schemes that only a browser or a computer knows, with `//` as well. */
const LOCAL =
  'about|blob|chrome|chrome-extension|content|data|devtools|edge|filesystem|jar|javascript|localhost|moz-extension|res|resource|url|vbscript|view-source|ws|wss';

/** How names of files end, without those endings that are top-level domains: .zip, .mov, .md, .app, .page, .pub. */
const ENDINGS = [
  'pdf|docx?|odt|rtf|txt|epub|pptx?|odp|pages|xls[xmb]?|ods|csv|tsv|numbers|html?|xhtml|php|aspx?|jsp|xml|json',
  'png|jpe?g|gif|svg|webp|bmp|tiff?|hei[cf]|avif|eps|psd|mp3|m4a|wav|ogg|flac|aac',
  'mp4|m4v|avi|mkv|webm|wmv|mpe?g|ics|vcf|apk|exe|rar',
].join('|');

/** What spoils an address, most specific first. Each is an absolute URL to a URL parser, and would be printed as it is. */
const MISTAKES: Mistake[] = [
  { ...PLACEHOLDER, pattern: /\{\{|\$\{/ },
  LOST_CHARACTER,
  {
    pattern: new RegExp(
      `^(?:[a-z]:|file:|\\\\\\\\)|^(?:https?://)?[^/?#:@]*\\.(?:${ENDINGS})(?=[/?#]|$)`,
      'iu',
    ),
    title: 'is the name of a file instead of a web address',
    advice: 'Upload the file, and use the web address where it opens.',
  },
  {
    pattern: /(&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[\da-f]{1,6});|\\u[\da-f]{4})/i,
    title: 'contains $1 instead of the character that it stands for',
    advice: 'It was copied from the source of a page. Replace &amp;, for example, with &.',
  },
  {
    // Selected with it, or a list whose other values are empty.
    pattern: /^(?:[^"“<]*(?=["”>])|https?:.*(?=[,;|]))(.)$/is,
    title: "ends with '$1'",
    advice: 'Remove the last character, or percent-encode it if the address needs it.',
  },
  {
    // Letters that are missing, doubled or swapped, or one wrong one.
    pattern:
      /^(?!https?:)(?:h?t{1,3}ps?|[htps]{4,}|[a-z]ttps?|h[a-z]tps?|ht[a-z]ps?|htt[a-z]s?|https?[a-z.-]):|^https?\./i,
    title: 'starts with a misspelled https://',
    advice: 'Correct the start.',
  },
  {
    pattern: new RegExp(`^(?=(?:${LOCAL}):|(?!(?:https?|${LINKS}):)[a-z][a-z\\d+.-]*:(?!//))([^:]*:)`, 'i'),
    title: "starts with '$1', which phones don't open as a link",
    advice:
      'Use a full web address, for example https://example.com/menu, or a link such as mailto:, tel: or sms:.',
  },
  {
    // Others open their app.
    pattern: /^((?:mailto|tel|callto|smsto|mmsto|geo|sips?|facetime|facetime-audio):)\/*$/i,
    title: "has nothing after '$1'",
    advice: 'Add who or what it opens.',
  },
  {
    // An address within a path, a query or a text is none: only a separator, or nothing at all, makes it a second one.
    pattern:
      /^(?!(?:mailto|sms|smsto):|[^?#]*[?#].*[=/]https?:)(?:.*[\s,;|]|[^./]*[./].*[a-z\d](?<!%[\da-f]{2}))https?:\/\//is,
    title: 'contains more than one web address',
    advice: 'A QR code has one destination. Keep one of them, or use a row for each.',
  },
  {
    pattern: /^https?:\/+(?:https?(?:[:/]|$)|(?:mailto|tel|sms|geo):)|^([a-z]+):\/*\1:|^www\.[^/?#]*:\/\//i,
    title: 'starts with two schemes',
    advice: 'Keep one https:// (or mailto:, tel:) at the start.',
  },
  {
    // Not percent-encoded: pages have such addresses.
    pattern: new RegExp(`^(.*?)${INVISIBLE.source}`, 'su'),
    title: "contains an invisible character after '$1'",
    advice: 'Delete the characters around that place and type them again.',
  },
  {
    pattern: /^(.*?)[\s\p{Cc}]/u,
    title: "contains a space or a line break after '$1'",
    advice: 'Remove it, or write %20 for a space.',
  },
  {
    // In a host, not in what may stand before it: a user and a password.
    pattern: /^https?:\/\/(?:[^/?#]*@|(?![^/?#]*@))[^/?#@]*\.\./i,
    title: 'contains two dots in a row',
    advice: 'Remove one of them.',
  },
];

const NO_ADDRESS: Mistake = {
  pattern: /^/,
  title: "isn't a valid web address",
  advice: 'Use a full web address, for example https://example.com/menu.',
};

/** Whether a text is an absolute http or https URL with a host that can exist. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/i.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  return hostname.startsWith('[') || /^[\w-]+(?:\.[\w-]+)*\.?$/.test(hostname);
}

/**
 * Reads where a code should point: an absolute URL, such as `https://example.com/menu` or `mailto:info@example.com`, as it
 * is, and `example.com/menu` as `https://example.com/menu`. Spaces and invisible characters at its ends are dropped.
 * @throws ParameterError for an empty value, for anything else, and for what would spoil a printed code: two addresses,
 * two schemes, a placeholder, the name of a file, what phones don't open
 */
export function toWebAddress(value: unknown, info: ParameterInfo): string {
  const text = toRequiredText(value, info);
  const url = HOST.test(text) ? `https://${text}` : text;
  const isUrl = /^https?:/i.test(url) ? isWebAddress(url) : URL.canParse(url);
  refuseMistakes(url, info, isUrl ? MISTAKES : [...MISTAKES, NO_ADDRESS], text);
  return url;
}
