import { createHmac } from 'node:crypto';
import { sampleEvent } from '@qr-service/core/webhook';
import { signWebhook, verifyWebhook } from '@qr-service/core';
import { compare, record, type Target } from './compare.ts';
import { importLibraries } from './libraries.ts';

const SECRET = 'a signing secret for the benchmark';
const SIZES: { bytes: number; operations: number; targets: Target[] }[] = [
  {
    bytes: 600,
    operations: 200,
    targets: [
      { of: 'stripe', minRatio: 1.15 },
      // The rest is strictness.
      { of: 'HMAC and JSON.parse', minRatio: 0.75 },
    ],
  },
  { bytes: 10_000, operations: 40, targets: [] },
  { bytes: 100_000, operations: 5, targets: [] },
  { bytes: 1_000_000, operations: 1, targets: [{ of: 'HMAC and JSON.parse', minRatio: 0.95 }] },
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
export async function run(): Promise<void> {
  const verifiers = await importLibraries<Verifiers>(
    '@octokit/webhooks-methods',
    'standardwebhooks',
    'stripe',
    'svix',
  );
  const found: Record<string, unknown> = {};
  for (const { bytes, operations, targets } of SIZES)
    found[bytes] = await compareVerifiers(verifiers, bytes, operations, targets);
  record('verify', found);
}

async function compareVerifiers(verifiers: Verifiers, bytes: number, operations: number, targets: Target[]) {
  const { sign, verify } = verifiers['@octokit/webhooks-methods'];
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
  const ids = signedLikeSvix(verifiers, text);
  const octokit = await sign(SECRET, text);

  const times = (work: () => unknown) => () => {
    for (let index = 0; index < operations; index++) work();
  };
  return compare(
    `Verifying and parsing ${bytes.toLocaleString('en')} bytes`,
    [
      {
        name: 'verifyWebhook',
        operations,
        run: times(() => verifyWebhook({ rawBody, headers, secret: SECRET })),
      },
      { name: 'the HMAC alone', operations, run: times(hmac) },
      {
        name: 'HMAC and JSON.parse',
        operations,
        run: times(() => (hmac(), JSON.parse(rawBody.toString()) as unknown)),
      },
      {
        name: 'stripe',
        operations,
        run: times(() => stripe.webhooks.constructEvent(rawBody, signature, SECRET)),
      },
      { name: 'svix', operations, run: times(() => ids.svix.verify(text, ids.svixHeaders)) },
      {
        name: 'standardwebhooks',
        operations,
        run: times(() => ids.standard.verify(text, ids.standardHeaders)),
      },
      {
        name: '@octokit/webhooks-methods (does not parse)',
        operations,
        run: async () => {
          for (let index = 0; index < operations; index++) await verify(SECRET, text, octokit);
        },
      },
    ],
    targets,
    ROUNDS,
  );
}

function signedLikeSvix(verifiers: Verifiers, text: string) {
  const secret = `whsec_${Buffer.from(SECRET).toString('base64')}`;
  const [svix, standard] = [
    new verifiers.svix.Webhook(secret),
    new verifiers.standardwebhooks.Webhook(secret),
  ];
  const now = new Date();
  const [id, at] = ['msg_1', String(Math.floor(now.getTime() / 1000))];
  return {
    svix,
    standard,
    svixHeaders: { 'svix-id': id, 'svix-timestamp': at, 'svix-signature': svix.sign(id, now, text) },
    standardHeaders: {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': standard.sign(id, now, text),
    },
  };
}

/** Creates an event of this size. */
function eventOf(bytes: number): string {
  const event = sampleEvent('qr.published');
  const missing = bytes - JSON.stringify({ ...event, note: '' }).length;
  return JSON.stringify({ ...event, note: 'x'.repeat(Math.max(0, missing)) });
}
