import type { QrCode } from '../../contract/types.ts';
import { showText } from '../../errors/sentences.ts';
import { isObject, omitUndefined, nonEmptyText } from '../../json/json.ts';
import { showValue } from '../inputs/showValue.ts';
import { withoutInvisible } from '../inputs/text.ts';

/** The statuses that are documented or implied (docs/api.md#states). A service has others, too. */
export const KNOWN_STATUSES: readonly string[] = ['published', 'archived', 'deleted'];

/** A code and where it points, if that is known. */
export type TargetedCode = QrCode & { targetUrl?: string };

/** Whether a code's short link works (docs/api.md#states). */
export function isPublished({ status }: QrCode): boolean {
  return status === 'published';
}

/** An archived code's short link doesn't work, and publishing isn't documented to change that (docs/api.md#states). */
export function isArchived({ status }: QrCode): boolean {
  return status === 'archived';
}

/** Matches the codes with one of these statuses, in any case; all if there are none. A code without a status matches. */
export function hasStatus(statuses: readonly string[]): (code: { status?: unknown }) => boolean {
  const wanted = statuses.map(foldCase).filter(Boolean);
  return ({ status }) => wanted.length === 0 || ['', ...wanted].includes(foldCase(status));
}

/** A field's text for comparing: without invisible characters, with single spaces, in NFC; empty if it isn't text or a number. */
export function normalize(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  if (/^[!-~]+$/.test(value)) return value;
  return withoutInvisible(value).replaceAll(/\s+/g, ' ').trim().normalize('NFC');
}

/** The same in lower case, with straight apostrophes and plain hyphens: spreadsheets and phones replace these. */
export function ignoreCase(value: unknown): string {
  return normalize(value)
    .toLowerCase()
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u2010\u2011]/g, '-');
}

/** Normalizes a text for searching, so that spellings that differ only in case or accents are equal. */
export function foldCase(value: unknown): string {
  // Upper case first, for letters like ß.
  const folded = normalize(value).toUpperCase().toLowerCase().normalize('NFD');
  return folded.replaceAll(/[\u0300-\u036f]/g, '');
}

/** Label of a code in a list, with its status if it isn't published. The slug or ID tells codes with the same name apart. */
export function codeLabel({ id, name, slug, status }: Partial<QrCode> & { id: string }): string {
  const details = [status === 'published' ? '' : normalize(status), normalize(slug) || id];
  return `${normalize(name) || id} (${details.filter(Boolean).join(', ')})`;
}

/** Names a code in an error, so that people find it: name, ID and short link. */
export function describeCode({ id, name, publicUrl }: Partial<QrCode> & { id: string }): string {
  const link = normalize(publicUrl);
  return showText(`${showValue(normalize(name))} (ID ${id}${link === '' ? '' : `, ${link}`})`);
}

/** Where a code points, if the service says: its documented fields don't (docs/api.md#qr-codes). */
export function targetUrlOf(code: object | undefined): string | undefined {
  const { targetUrl, content } = (code ?? {}) as { targetUrl?: unknown; content?: unknown };
  return nonEmptyText(targetUrl) ?? (isObject(content) ? nonEmptyText(content['targetUrl']) : undefined);
}

/** Whether two URLs are the same, in any spelling. */
export function isSameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

/** A code's fields in the order in which people need them: what rows are written back by comes first, and a target after them. */
export function inOutputOrder<Fields extends object>(fields: Fields): Fields {
  const { id, name, publicUrl, status, outcome, targetUrl, ...others } = fields as Record<string, unknown>;
  return { ...omitUndefined({ id, name, publicUrl, status, outcome, targetUrl }), ...others } as Fields;
}
