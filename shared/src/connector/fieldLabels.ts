import type { Operation } from '../contract/scopes.ts';
import { capitalized } from '../errors/sentences.ts';
import type { InputField } from '../wire/fieldErrors.ts';
import { INPUTS } from './inputs.ts';

/** The label of each field that the API knows, as both platforms show it. */
const LABELS: Record<InputField, string> = {
  name: INPUTS.name.label,
  mode: INPUTS.mode.label,
  contentType: INPUTS.contentType.label,
  content: INPUTS.content.label,
  targetUrl: INPUTS.targetUrl.label,
  url: INPUTS.url.label,
  eventTypes: 'Events',
  format: INPUTS.format.label,
  size: INPUTS.size.label,
  limit: 'Limit',
  cursor: 'Cursor',
  updatedSince: INPUTS.updatedSince.label,
  since: INPUTS.since.label,
};

/** For operations that send a single URL, its key and label: the service may name it by another operation's field. */
const ADDRESSES: Partial<Record<Operation, readonly [key: string, label: string]>> = {
  'qr.create': [INPUTS.targetUrl.key, LABELS.targetUrl],
  'qr.retarget': [INPUTS.url.key, LABELS.url],
  'webhooks.subscribe': [INPUTS.url.key, 'Webhook URL'],
};

/** How inputs are named: as those of an operation, by their keys or by their labels. */
export interface InputNaming {
  operation: Operation | undefined;
  byKey: boolean;
}

/** The name of a field that users fill in; undefined for any other. */
export function fieldLabel(name: string, { operation, byKey }: InputNaming): string | undefined {
  const isAddress = name === 'url' || name === 'targetUrl';
  const address = isAddress && operation ? ADDRESSES[operation] : undefined;
  if (address !== undefined) return address[byKey ? 0 : 1];
  if (!Object.hasOwn(LABELS, name)) return undefined;
  return byKey ? name : LABELS[name as InputField];
}

/** Turns any other field's name into words: `folderId` becomes `Folder ID`. Empty for a name without letters. */
export function humanized(name: string): string {
  if (!/\p{L}/u.test(name)) return '';
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');
  return words
    .map((word) => (/^(?:id|url|ip|os|qr|utm)$/i.test(word) ? word.toUpperCase() : capitalized(word)))
    .join(' ');
}
