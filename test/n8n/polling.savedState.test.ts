import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { closeServices } from '../support/faultyService/faultyService.ts';
import { startListService, type ListService } from './support/listService.ts';
import { NODE, onPoll } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 15, 12);

const timeAt = (minutes: number) => new Date(NOON + minutes * MINUTE).toISOString();
/** A code that changed so many minutes after noon. */
const code = (id: string, minutes: number) => ({ id, updatedAt: timeAt(minutes) });
const scan = (minutes: number) => ({ qrId: 'qr', scannedAt: timeAt(minutes) });

interface Course {
  service: ListService;
  activate: () => Promise<void>;
  /** Polls so many minutes after noon and returns the IDs of the rows. */
  poll: (minutes: number) => Promise<unknown[]>;
}
interface SavedWorkflow {
  watch: 'changedCodes' | 'scans';
  options?: object;
  /** What happened until the workflow was saved. */
  before: (course: Course) => Promise<void>;
  /** What the polling trigger of release 0.1.0 had stored by then, without the account. */
  stored: IDataObject;
  /** What the service listed by then. */
  rows: ListService['rows'];
  pageSize?: number;
  /** What happens after it was restored. */
  after: (course: Course) => Promise<void>;
}

const SAVED: Record<string, SavedWorkflow> = {
  'right after its activation': {
    watch: 'changedCodes',
    rows: [code('old', -30)],
    async before({ activate }) {
      await activate();
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768478400000,
      isTimed: true,
      highest: 1768476600000,
      highestAt: 1768478400000,
      highestReadAt: 1768478400000,
      since: 1768476300000,
      bornAt: 1768476600000,
      seen: 'y6BrVzb6wM2ti7wz',
    },
    async after({ service, poll }) {
      service.rows.push(code('late', -31), code('new', 1));
      expect(await poll(2)).toEqual(['new']);
      expect(await poll(3)).toEqual([]);
    },
  },
  'between two passes': {
    watch: 'changedCodes',
    rows: [code('old', -30), code('a', 10), code('b', 10.5)],
    async before({ service, activate, poll }) {
      const [old, ...changed] = service.rows.splice(0);
      service.rows.push(old!);
      await activate();
      service.rows.push(...changed);
      expect(await poll(11)).toEqual(['a', 'b']);
      expect(await poll(12)).toEqual([]);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768479120000,
      isTimed: true,
      highest: 1768479030000,
      highestAt: 1768479060000,
      highestReadAt: 1768478400000,
      since: 1768478730000,
      seen: 'y6BrVzb6wM2ti7wzypeBEsobgL6SAT4j6BYAObDqAQ',
    },
    async after({ service, poll }) {
      service.rows.push(code('late', 8), code('c', 12.5));
      expect(await poll(13)).toEqual(['late', 'c']);
      service.rows.push(code('a', 13.5));
      expect(await poll(14)).toEqual(['a']);
      expect(await poll(15)).toEqual([]);
    },
  },
  'in the middle of a pass': {
    watch: 'changedCodes',
    pageSize: 2,
    rows: [code('a', 1), code('b', 2), code('c', 3), code('d', 4)],
    async before({ service, activate, poll }) {
      const changed = service.rows.splice(0);
      await activate();
      service.rows.push(...changed);
      service.areCursorsForbidden = true;
      expect(await poll(5)).toEqual(['a', 'b']);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768478700000,
      begunAt: 1768478700000,
      bound: 1768478520000,
      seen: 'ypeBEsob4JCfjLwzPiPoFgA54NQD',
      isTimed: true,
      highest: 1768478520000,
      highestAt: 1768478700000,
      highestReadAt: 1768478400000,
      cursor: '2',
    },
    async after({ service, poll }) {
      const requests = service.requests.length;
      expect(await poll(6)).toEqual(['c', 'd']);
      expect(service.requests[requests]!.url).toMatch('cursor=2');
      service.rows.push(code('e', 6.5));
      expect(await poll(7)).toEqual(['e']);
      expect(await poll(8)).toEqual([]);
    },
  },
  'with Only New': {
    watch: 'changedCodes',
    options: { onlyNew: true },
    rows: [code('old', -30), code('new', 1)],
    async before({ service, activate, poll }) {
      const [old, created] = service.rows.splice(0);
      service.rows.push(old!);
      await activate();
      service.rows.push(created!);
      expect(await poll(2)).toEqual(['new']);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768478520000,
      isTimed: true,
      highest: 1768478460000,
      highestAt: 1768478520000,
      highestReadAt: 1768478400000,
      since: 1768478160000,
      seen: 'y6BrVzb6wM2ti7wzEVB6Di9eoMNx',
      known: 'y6BrVzb69n5EVB6Di9eadX',
    },
    async after({ service, poll }) {
      service.rows = [code('old', 3), code('new', 3), code('newer', 3)];
      expect(await poll(4)).toEqual(['newer']);
      expect(await poll(5)).toEqual([]);
    },
  },
  'in the middle of identical scans': {
    watch: 'scans',
    pageSize: 2,
    rows: Array.from({ length: 5 }, () => scan(20)),
    async before({ service, activate, poll }) {
      const scans = service.rows.splice(0);
      await activate();
      service.rows.push(...scans);
      service.areCursorsForbidden = true;
      expect(await poll(21)).toHaveLength(2);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768479660000,
      begunAt: 1768479660000,
      bound: 1768479600000,
      seen: '7zKKysr6gNvkjLwzBINjlZpCAA',
      counts: '7zKKysr6Ag',
      isTimed: true,
      highest: 1768479600000,
      highestAt: 1768479660000,
      highestReadAt: 1768478400000,
      cursor: '2',
    },
    async after({ service, poll }) {
      expect(await poll(22)).toHaveLength(3);
      service.rows.push(scan(20));
      expect(await poll(23)).toHaveLength(1);
      expect(await poll(24)).toEqual([]);
    },
  },
  'over scans without times': {
    watch: 'scans',
    pageSize: 2,
    rows: [{ id: 'a' }, { qrId: 'qr' }, { qrId: 'qr' }],
    async before({ activate }) {
      await activate();
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768478400000,
      cursor: '2',
      seen: 'ZIjUoKCWAA',
      counts: 'MyKRnrQ0AQ',
    },
    async after({ service, poll }) {
      service.rows.push({ qrId: 'qr' }, { id: 'b' });
      expect(await poll(1)).toHaveLength(2);
      expect(await poll(2)).toEqual([]);
    },
  },
  'with a code without a time, and one whose date in the future was corrected': {
    watch: 'changedCodes',
    rows: [{ id: 'timeless' }, code('ahead', 3)],
    async before({ service, activate, poll }) {
      service.rows.splice(0);
      await activate();
      service.rows = [{ id: 'timeless' }, code('ahead', 1e6), code('a', 1)];
      expect(await poll(2)).toEqual(['timeless', 'a', 'ahead']);
      service.rows = [{ id: 'timeless' }, code('a', 1), code('ahead', 3)];
      expect(await poll(4)).toEqual([]);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768478640000,
      seen: 'ypeBEsob4JCfjLwz0LQDTGynoNuZwt8B',
      timeless: 'Lu91NixdAA',
      held: { '0LQDTGyn': [1768478580000, 1768478640000] },
      isTimed: true,
      highest: 1768478580000,
      highestAt: 1768478640000,
      highestReadAt: 1768478400000,
      since: 1768478280000,
    },
    async after({ poll }) {
      expect(await poll(6)).toEqual([]);
      expect(await poll(10)).toEqual(['ahead']);
      expect(await poll(11)).toEqual([]);
    },
  },
  "after the service's clock was set back": {
    watch: 'changedCodes',
    pageSize: 1,
    rows: [code('back', 9), code('a', 119), code('b', 119.5)],
    async before({ service, activate, poll }) {
      const [back, ...changed] = service.rows.splice(0);
      await activate();
      service.rows.push(...changed);
      expect(await poll(120)).toEqual(['a', 'b']);
      service.rows.unshift(back!);
      service.areCursorsForbidden = true;
      await poll(10).catch(() => undefined);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768479000000,
      begunAt: 1768479000000,
      bound: 1768479000000,
      seen: 'ypeBEsoboKHPj7wzPiPoFgA5sOoB',
      isTimed: true,
      highest: 1768485570000,
      highestAt: 1768485600000,
      highestReadAt: 1768478400000,
      cursor: '1',
      since: 1768485240000,
      isBack: true,
    },
    async after({ service, poll }) {
      expect(await poll(10.5)).toEqual(['back']);
      service.rows.push(code('next', 11));
      expect(await poll(12)).toEqual(['next']);
      expect(await poll(13)).toEqual([]);
    },
  },
  "in the middle of a pass after the service's clock was set back to before what is remembered": {
    watch: 'changedCodes',
    pageSize: 1,
    rows: Array.from({ length: 8 }, (_, i) => code(`old ${i}`, -i * 1000)),
    async before({ service, activate, poll }) {
      await activate();
      service.areCursorsForbidden = true;
      await poll(-3500).catch(() => undefined);
    },
    stored: {
      since: 1768268100000,
      floor: 1768268100000,
      readAt: 1768478400000,
      servedAt: 1768268400000,
      begunAt: 1768268400000,
      isTimed: true,
      highest: 1768478400000,
      highestAt: 1768478400000,
      highestReadAt: 1768478400000,
      bound: 1768268400000,
      quietBelow: 1768478100000,
      cursor: '1',
      seen: 'cZ2CA7kXgLybjLwz',
    },
    async after({ service, poll }) {
      expect(await poll(-3400)).toEqual([]);
      service.rows.push(code('new', -3350));
      expect(await poll(-3300)).toEqual(['new']);
      expect(await poll(-3290)).toEqual([]);
    },
  },
  'over scans without times, after their pagination cursor had expired': {
    watch: 'scans',
    pageSize: 2,
    rows: Array.from({ length: 5 }, (_, i) => ({ id: `scan ${i}` })),
    async before({ service, activate, poll }) {
      await activate();
      service.areCursorsExpired = true;
      service.areCursorsForbidden = true;
      await poll(1).catch(() => undefined);
    },
    stored: {
      readAt: 1768478400000,
      servedAt: 1768478460000,
      begunAt: 1768478460000,
      cursor: '2',
      isLost: true,
      seen: 'f0F76yG4AA',
    },
    async after({ service, poll }) {
      service.rows.push({ id: 'new' });
      expect(await poll(2)).toEqual(['new']);
      expect(await poll(3)).toEqual([]);
    },
  },
};

afterEach(() => {
  closeServices();
  jest.restoreAllMocks();
});

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');
const staticData = ({ watch, stored }: SavedWorkflow, url: string): IDataObject => ({
  [`node:${NODE}`]: {
    [watch]: {
      ...structuredClone(stored),
      account: { key: digest([url, 'key']), baseUrl: digest(url), workspace: '' },
    },
  },
});

async function start({ watch, options = {}, rows, pageSize = 100 }: SavedWorkflow, saved?: SavedWorkflow) {
  jest.spyOn(Date, 'now').mockReturnValue(NOON);
  const service = await startListService(structuredClone(rows));
  Object.assign(service, { clock: NOON, pageSize });
  const engine = await createN8nEngine({
    packageDir: PACKAGE_DIR,
    credentials: { qrServiceApi: { baseUrl: service.url, apiKey: 'key' } },
  });
  const from = saved === undefined ? {} : staticData(saved, service.url);
  const trigger = engine.pollTrigger(onPoll(watch, { ...options }), NODE, from);
  const course: Course = {
    service,
    async activate() {
      expect((await trigger.activate()).items).toEqual([]);
    },
    async poll(minutes) {
      service.clock = NOON + minutes * MINUTE;
      const { items } = await trigger.tick();
      return items.map(({ json }) => json[watch === 'scans' ? 'scanId' : 'id']);
    },
  };
  return { course, trigger, url: service.url };
}

describe.each(Object.entries(SAVED))('a workflow of release 0.1.0, saved %s', (_when, saved) => {
  test('resumes without losing or duplicating a row', async () => {
    const { course } = await start(saved, saved);
    await saved.after(course);
  });

  test('is stored as that release stores it', async () => {
    const { course, trigger, url } = await start(saved);
    await saved.before(course);
    expect(JSON.parse(JSON.stringify(trigger.staticData))).toEqual(staticData(saved, url));
  });
});
