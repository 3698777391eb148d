import type { Visit } from '../../store/records.ts';

type Rules = readonly (readonly [name: string, pattern: RegExp])[];

const BOT = /bot\b|bot\/|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|headless|monitor/i;
const DEVICES: Rules = [
  ['tablet', /ipad|tablet|android(?!.*mobile)/i],
  ['mobile', /mobile|iphone|android/i],
  ['desktop', /windows|macintosh|x11|cros/i],
];
const SYSTEMS: Rules = [
  ['iOS', /iphone|ipad|ipod/i],
  ['Android', /android/i],
  ['Windows', /windows/i],
  ['macOS', /macintosh|mac os/i],
  ['ChromeOS', /cros/i],
  ['Linux', /linux|x11/i],
];
const BROWSERS: Rules = [
  ['Edge', /edg(e|a|ios)?\//i],
  ['Opera', /opr\/|opera/i],
  ['Samsung Internet', /samsungbrowser/i],
  ['Firefox', /firefox|fxios/i],
  ['Chrome', /chrome|crios|chromium/i],
  ['Safari', /safari/i],
];

/** Whether a user agent identifies itself as a bot or a link preview. Its visits don't count as scans. */
export function isBot(userAgent: string): boolean {
  return BOT.test(userAgent);
}

/**
 * Reads coarse details of a visit from its request; null if unknown. The country comes from `CF-IPCountry`, which a proxy
 * in front of the emulator sets.
 * @param header reads a request header
 */
export function readVisit(header: (name: string) => string | undefined): Visit {
  const userAgent = header('User-Agent') ?? '';
  const country = header('CF-IPCountry')?.toUpperCase();
  return {
    country: country !== undefined && /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : null,
    device: match(DEVICES, userAgent),
    os: match(SYSTEMS, userAgent),
    browser: match(BROWSERS, userAgent),
    referrer: host(header('Referer')),
  };
}

function match(rules: Rules, userAgent: string): string | null {
  return rules.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
}

function host(referer: string | undefined): string | null {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).hostname || null : null;
}
