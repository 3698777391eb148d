import { createHmac } from 'node:crypto';
import { signWebhook, verifyWebhook } from '@qr-service/core';
import { sampleEvent } from '@qr-service/core/webhook';
import { compare, importLibraries } from './compare.ts';

const SECRET = 'a signing secret for the benchmark';
/** Bytes of the body, and how many are verified in each round. */
const SIZES: [bytes: number, operations: number][] = [
  [600, 200],
  [10_000, 40],
  [1_000_000, 1],
];
/** Many rounds of a millisecond: on a busy machine, a longer one would be interrupted. */
const ROUNDS = 300;

/** The Webhook class of svix and standardwebhooks, which use the same signatures. */
type Webhook = new (secret: string) => {
  sign: (id: string, at: Date, payload: string) => string;
  verify: (payload: string, headers: Record<string, string>) => unknown;
};

/** The functions of the other libraries that are used here. */
interface Verifiers {
  '@octokit/webhooks-methods': {
    sign: (secret: string, payload: string) => Promise<string>;
    verify: (secret: string, payload: string, signature: string) => Promise<boolean>;
  };
  standardwebhooks: { Webhook: Webhook };
  stripe: {
    default: new (key: string) => {
      webhooks: { constructEvent: (payload: Buffer, signature: string, secret: string) => unknown };
    };
  };
  svix: { Webhook: Webhook };
}

/** How fast is verifying and parsing a delivery? */
export async function verify(): Promise<void> {
  const verifiers = await importLibraries<Verifiers>(
    '@octokit/webhooks-methods',
    'standardwebhooks',
    'stripe',
    'svix',
  );
  for (const [bytes, operations] of SIZES) await compareVerifiers(verifiers, bytes, operations);
}

async function compareVerifiers(verifiers: Verifiers, bytes: number, operations: number): Promise<void> {
  const octokit = verifiers['@octokit/webhooks-methods'];
  const text = eventOf(bytes);
  const rawBody = Buffer.from(text);
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = signWebhook({ body: rawBody, secret: SECRET, timestamp });
  const headers = {
    'content-type': 'application/json',
    'content-length': String(rawBody.length),
    'user-agent': 'Webhooks',
    'x-service-timestamp': String(timestamp),
    'x-service-signature': signature,
    'x-service-delivery': 'dlv_1',
    'x-service-event': 'qr.published',
  };
  const hmac = () => createHmac('sha256', SECRET).update(`${timestamp}.`).update(rawBody).digest();
  const stripe = new verifiers.stripe.default('sk_test');
  const octokitSignature = await octokit.sign(SECRET, text);

  const contenders: Record<string, () => unknown> = {
    verifyWebhook: () => verifyWebhook({ rawBody, headers, secret: SECRET }),
    'HMAC and JSON.parse': () => [hmac(), JSON.parse(rawBody.toString())],
    stripe: () => stripe.webhooks.constructEvent(rawBody, signature, SECRET),
    svix: signedLikeSvix(verifiers.svix.Webhook, 'svix', text),
    standardwebhooks: signedLikeSvix(verifiers.standardwebhooks.Webhook, 'webhook', text),
    '@octokit/webhooks-methods (does not parse)': () => octokit.verify(SECRET, text, octokitSignature),
  };
  await compare(
    `Verifying and parsing ${bytes.toLocaleString('en')} bytes`,
    Object.entries(contenders).map(([name, work]) => ({
      name,
      operations,
      async run() {
        for (let index = 0; index < operations; index++) await work();
      },
    })),
    ROUNDS,
  );
}

function signedLikeSvix(Webhook: Webhook, prefix: string, text: string): () => unknown {
  const webhook = new Webhook(`whsec_${Buffer.from(SECRET).toString('base64')}`);
  const now = new Date();
  const headers = {
    [`${prefix}-id`]: 'msg_1',
    [`${prefix}-timestamp`]: String(Math.floor(now.getTime() / 1000)),
    [`${prefix}-signature`]: webhook.sign('msg_1', now, text),
  };
  return () => webhook.verify(text, headers);
}

/** Creates an event of this size. */
function eventOf(bytes: number): string {
  const event = { ...sampleEvent('qr.published'), note: '' };
  return JSON.stringify({ ...event, note: 'x'.repeat(bytes - JSON.stringify(event).length) });
}
