import { isErrorCode } from '@qr-service/core/connector';
import type { ZapierEngine } from '../../engines/zapier/index.ts';
import {
  CODE,
  closeServices,
  serve,
  type RequestHandler,
} from '../../harness/faultyService/faultyService.ts';
import {
  problemsWith,
  requestIdOf,
  respondWith,
  SERVICE_ERRORS,
  type ServiceError,
} from '../../harness/faultyService/serviceErrors.ts';
import { startVirtualTime } from '../../harness/jest/virtualTime.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

const WORDS = { credential: 'connection', rerun: 'run this step again' };
const CREATE = { name: 'Door', targetUrl: 'nope', publishNow: false };
const ONE = { qrCodeId: 'qr_1' };

/** The key and the input of each step. */
const STEPS = {
  Create: ['create_qr_code', CREATE],
  'Create with a key': ['create_qr_code', { ...CREATE, deduplicationKey: 'k' }],
  'Create, at publishing': ['create_qr_code', { ...CREATE, publishNow: true }],
  'Create with a key, at publishing': [
    'create_qr_code',
    { ...CREATE, publishNow: true, deduplicationKey: 'k' },
  ],
  Publish: ['publish_qr_code', ONE],
  Render: ['render_qr_code', ONE],
  Retarget: ['retarget_qr_code', { ...ONE, url: 'nope' }],
} as const satisfies Record<string, readonly [string, Record<string, unknown>]>;
type Name = keyof typeof STEPS;
const NAMES = Object.keys(STEPS) as Name[];
/** Where texts differ for other reasons than the code. */
const DISTINCT: readonly Name[] = ['Create', 'Create with a key', 'Create, at publishing'];

let world: World;
let engine: ZapierEngine;
let respond: RequestHandler;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  startVirtualTime();
  const service = await serve((request, response, body) => respond(request, response, body));
  engine = await world.connect('key_of_a_test', service.url);
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

/** The text of a step with a service that answers so. */
async function textOf(error: ServiceError, name: Name): Promise<string> {
  const fail = respondWith(error);
  respond = (request, response, body) => {
    if (name.endsWith('at publishing') && request.url?.endsWith('/qr') === true)
      response.end(JSON.stringify(CODE));
    else fail(request, response, body);
  };
  const [key, input] = STEPS[name];
  return (await failureOf(engine.create(key, { ...input }))).message;
}

const CASES = Object.entries(SERVICE_ERRORS);

test.each(CASES)('%s: every step says what happened, what to do and last the IDs', async (what, error) => {
  const requestId = requestIdOf(error);
  for (const name of isErrorCode(what) ? NAMES : DISTINCT) {
    const text = await textOf(error, name);
    const [, told = text, ids = ''] = /^(.*) \(([^()]*)\)$/.exec(text) ?? [];
    const [, title = told, description = ''] = /^(.+?)\. (.*)$/.exec(told) ?? [];
    expect([text, problemsWith(title.replace(/\.$/, ''), description)]).toEqual([text, []]);
    if (requestId !== undefined) expect(ids).toMatch(new RegExp(`request ${requestId}$`));
    expect(told).not.toMatch(/credential|base address|\bnode\b|\bmake\b/i);
    if (!name.startsWith('Create')) continue;
    expect(told).not.toMatch(/\b(run|execute|repeat)\b.*\bagain\b/i);
    // Only a replay that the key makes safe, or one that the text warns of.
    if (name === 'Create, at publishing') expect(told).not.toMatch(/(?<!Don't )\breplay/i);
  }
});

test.each(CASES)('%s: Retarget says it in these words', async (_what, error) => {
  const text = await textOf(error, 'Retarget');
  const said = [error.title + (/[.!?]$/.test(error.title) ? '' : '.'), error.advice(WORDS)].join(' ').trim();
  expect(text.startsWith(said)).toBe(true);
  expect(text.slice(said.length)).toMatch(/^ \([^()]+\)$/);
});
