import { createHmac } from 'node:crypto';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import type { ActiveTrigger } from '../../engines/n8n/index.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { NODE, onEvents } from './support/workflows.ts';

/** The trigger's URL is public: anyone can post anything to it. */
interface Post {
  body?: string | Uint8Array;
  headers: Record<string, string | string[]>;
}

const SIGNATURE = 'x-service-signature';
const TIMESTAMP = 'x-service-timestamp';
const NOW = Math.floor(Date.now() / 1000);
const DEEP = 100_000;
const BODY = JSON.stringify({ ...sampleEvent('qr.created'), id: 'evt_hostile' });

let world: World;
let trigger: ActiveTrigger;
let secret: string;
beforeAll(async () => {
  world = await startWorld();
  trigger = await world.engine.activateTrigger(onEvents(['qr.created']), NODE, { publicUrl: PUBLIC_URL });
  world.frontDoor.open(trigger);
  secret = (trigger.staticData[`node:${NODE}`] as { secret: string }).secret;
});
afterAll(() => world.close());

const hex = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
const signed = (body: string | Uint8Array = BODY) => signWebhook({ body, secret, timestamp: NOW });
/** A signature with the right secret over a time in any form. */
const at = (time: string): Post => ({ headers: { [SIGNATURE]: `t=${time},v1=${hex(`${time}.${BODY}`)}` } });
const withSignature = (value: string | string[]): Post => ({ headers: { [SIGNATURE]: value } });
/** A body that is no event, with the right signature. */
const genuine = (body: string | Uint8Array): Post => ({ body, headers: { [SIGNATURE]: signed(body) } });

const POSTS: Record<string, [what: string, make: () => Post][]> = {
  malformed_header: [
    ['junk as a signature', () => withSignature(',,,=t=v1=')],
    ['a signature of 16 kB', () => withSignature(`${signed()},${'x'.repeat(16_000)}=`)],
    ['two signatures', () => withSignature([signed(), signed()])],
    ['a signature that ends with another character', () => withSignature(`${signed()}\xa0`)],
    ['a time with a leading zero', () => at(`0${NOW}`)],
    ['a negative time', () => at(`-${NOW}`)],
    ['a time with a fraction', () => at(`${NOW}.0`)],
    ['a hexadecimal time', () => at(`0x${NOW.toString(16)}`)],
    ['no time', () => at('')],
    ['a time of 400 digits', () => at('9'.repeat(400))],
    ['two times', () => withSignature(`t=1,${signed()}`)],
    ['too many signatures', () => withSignature(`${signed()}${`,v1=${'0'.repeat(64)}`.repeat(8)}`)],
    ['half a signature', () => withSignature(signed().slice(0, -32))],
    ['a time that differs from its header', () => ({ headers: { [SIGNATURE]: signed(), [TIMESTAMP]: '1' } })],
    [
      'two spellings of the header that disagree',
      () => ({ headers: { [SIGNATURE]: signed(), [`http-${SIGNATURE}`]: 't=1,v1=0' } }),
    ],
  ],
  timestamp_out_of_tolerance: [
    ['a time before 1970 was over', () => at('1')],
    ['a time at the end of time', () => at('253402300800')],
  ],
  missing_header: [
    ['the signature in a header named __proto__', () => ({ headers: { ['__proto__']: signed() } })],
  ],
  invalid_body: [
    ['an empty body', () => genuine('')],
    ['a body that is no JSON', () => genuine('{"id":"evt_hostile"')],
    ['a body of invalid UTF-8', () => genuine(Buffer.from([0x22, 0xc0, 0xff, 0x22]))],
    ['a body without an event', () => genuine('{"__proto__":{"id":"evt_hostile"},"constructor":1}')],
    ['a body of 100,000 levels', () => genuine('['.repeat(DEEP) + ']'.repeat(DEEP))],
    ['a body of XML', () => genuine('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')],
  ],
};
const CASES = Object.entries(POSTS).flatMap(([reason, posts]) =>
  posts.map(([what, make]) => ({ reason, what, make })),
);

test.each(CASES)('responds 401 to $what, starts nothing and changes nothing', async ({ reason, make }) => {
  const before = JSON.stringify(trigger.staticData);
  const { body = BODY, headers } = make();
  const response = await trigger.receive({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    rawBody: Buffer.from(body),
  });
  expect([response.status, response.execution]).toEqual([401, undefined]);
  expect(JSON.parse(response.body.toString())).toEqual({ error: 'invalid_signature', reason });
  expect(JSON.stringify(trigger.staticData)).toBe(before);
});

test('still starts one execution for a genuine delivery, and has logged each reason once', async () => {
  world.emulator.control.emit('qr.created');
  await world.emulator.control.settled();
  expect(world.frontDoor.executions).toHaveLength(1);
  expect(world.warnings).toEqual(
    Object.keys(POSTS).map((reason) => expect.stringContaining(`refused: ${reason}`)),
  );
});
