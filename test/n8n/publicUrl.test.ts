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
    ['two signatures', () => withSignature([signed(), signed()])],
  ],
  timestamp_out_of_tolerance: [['a time at the end of time', () => at('253402300800')]],
  missing_header: [
    ['the signature in a header named __proto__', () => ({ headers: { ['__proto__']: signed() } })],
  ],
  invalid_body: [
    ['an empty body', () => genuine('')],
    ['a body that is no JSON', () => genuine('{"id":"evt_hostile"')],
    ['a body of invalid UTF-8', () => genuine(Buffer.from([0x22, 0xc0, 0xff, 0x22]))],
    ['a body of 100,000 levels', () => genuine('['.repeat(DEEP) + ']'.repeat(DEEP))],
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
