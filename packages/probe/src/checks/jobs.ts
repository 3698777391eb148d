import type { Outcome } from '../findings/Finding.ts';
import { checkConnection, checkErrors, checkLimits } from './connection.ts';
import { checkImage } from './images.ts';
import { checkLink, checkNewLink } from './link.ts';
import * as lists from './lists.ts';
import type { Probe } from './Probe.ts';
import { checkDelivery, checkSubscribe, checkUnsubscribe } from './webhooks.ts';
import { checkChange, checkCreate, checkPublish, checkRetry } from './writing.ts';

/** A job of the connectors. */
export interface Job {
  /** The part of the API that it shows. */
  area: (typeof AREAS)[number];
  title: string;
  check: (probe: Probe) => Promise<Outcome>;
  /** The option without which neither it nor any job after it is done. */
  needs?: 'write' | 'webhook';
  /** The job without which it can't be done, if that isn't the connection alone. */
  after?: string;
}

/** The parts of the API, in the order of the report. */
export const AREAS = ['Connection', 'Writing', 'Reading', 'Webhooks'] as const;

/** The jobs in the order in which they are done: what is created comes first, so that the others have something to see. */
export const JOBS: Readonly<Record<string, Job>> = {
  connection: { area: 'Connection', title: 'Connection and API key', check: checkConnection },
  subscribe: { area: 'Webhooks', title: 'Subscribe', check: checkSubscribe, needs: 'write' },
  create: { area: 'Writing', title: 'Create a code', check: checkCreate, needs: 'write' },
  retry: { area: 'Writing', title: "A retry doesn't create a duplicate", check: checkRetry, after: 'create' },
  publish: { area: 'Writing', title: 'Publish it', check: checkPublish, after: 'create' },
  link: { area: 'Writing', title: 'Short link leads to the destination', check: checkLink, after: 'publish' },
  change: { area: 'Writing', title: 'Update the destination', check: checkChange, after: 'publish' },
  newLink: { area: 'Writing', title: 'Short link follows the update', check: checkNewLink, after: 'change' },
  list: { area: 'Reading', title: 'List of codes', check: lists.checkList },
  pages: { area: 'Reading', title: 'List over several pages', check: lists.checkPages, after: 'list' },
  since: { area: 'Reading', title: 'Codes since a time', check: lists.checkCodesSince, after: 'list' },
  png: { area: 'Reading', title: 'Image as PNG', check: checkImage('png') },
  svg: { area: 'Reading', title: 'Image as SVG', check: checkImage('svg') },
  pdf: { area: 'Reading', title: 'Image as PDF', check: checkImage('pdf') },
  errors: { area: 'Connection', title: 'Error codes', check: checkErrors },
  scans: { area: 'Reading', title: 'List of scans', check: lists.checkScans },
  scansSince: { area: 'Reading', title: 'Scans since a time', check: lists.checkScansSince, after: 'scans' },
  visible: { area: 'Reading', title: 'New code is listed', check: lists.checkVisible, after: 'create' },
  limits: { area: 'Connection', title: 'Rate limit', check: checkLimits },
  deliver: {
    area: 'Webhooks',
    title: 'Signed delivery',
    check: checkDelivery,
    needs: 'webhook',
    after: 'subscribe',
  },
  unsubscribe: { area: 'Webhooks', title: 'Unsubscribe', check: checkUnsubscribe, after: 'subscribe' },
};
