import type { Outcome } from '../findings/Finding.ts';
import { checkConnection, checkErrors, checkLimits } from './connection.ts';
import { checkImage } from './images.ts';
import { checkLink, checkNewLink } from './link.ts';
import * as lists from './lists.ts';
import type { Probe } from './Probe.ts';
import { checkDelivery, checkSubscribe, checkUnsubscribe } from './webhooks.ts';
import { checkChange, checkCreate, checkPublish, checkRetry } from './writing.ts';

type Check = (probe: Probe) => Promise<Outcome>;

/** A job of the connectors: its name, part of the API and title, how it is done, and what it needs. */
export type Job = readonly [
  id: string,
  area: (typeof AREAS)[number],
  title: string,
  check: Check,
  /** The option without which it isn't done. */
  needs?: '' | 'write' | 'webhook',
  /** The job without which it can't be done. */
  after?: string,
];

/** The parts of the API, in the order of the report. */
export const AREAS = ['Connection', 'Writing', 'Reading', 'Webhooks'] as const;

/** The jobs in the order in which they are done: what is created comes first, so that the others have something to see. */
export const JOBS: readonly Job[] = [
  ['connection', 'Connection', 'Connection and API key', checkConnection],
  ['subscribe', 'Webhooks', 'Subscribe', checkSubscribe, 'write'],
  ['create', 'Writing', 'Create a code', checkCreate, 'write'],
  ['retry', 'Writing', 'Retry creates no second code', checkRetry, 'write', 'create'],
  ['publish', 'Writing', 'Publish it', checkPublish, 'write', 'create'],
  ['link', 'Writing', 'Short link leads to the target', checkLink, 'write', 'publish'],
  ['change', 'Writing', 'Update the destination', checkChange, 'write', 'publish'],
  ['newLink', 'Writing', 'Short link leads to the new target', checkNewLink, 'write', 'link'],
  ['list', 'Reading', 'List of codes', lists.checkList],
  ['pages', 'Reading', 'List over several pages', lists.checkPages, '', 'list'],
  ['since', 'Reading', 'Codes changed since a time', lists.checkCodesSince, '', 'list'],
  ['png', 'Reading', 'Image as PNG', checkImage('png')],
  ['svg', 'Reading', 'Image as SVG', checkImage('svg')],
  ['pdf', 'Reading', 'Image as PDF', checkImage('pdf')],
  ['errors', 'Connection', 'Errors state a code', checkErrors],
  ['scans', 'Reading', 'List of scans', lists.checkScans],
  ['scansSince', 'Reading', 'Scans since a time', lists.checkScansSince, '', 'scans'],
  ['visible', 'Reading', 'New code is listed', lists.checkVisible, 'write', 'create'],
  ['limits', 'Connection', 'Rate limit', checkLimits],
  ['deliver', 'Webhooks', 'Signed delivery', checkDelivery, 'webhook', 'subscribe'],
  ['unsubscribe', 'Webhooks', 'Unsubscribe', checkUnsubscribe, 'write', 'subscribe'],
];
