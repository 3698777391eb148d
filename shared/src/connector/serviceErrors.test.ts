import {
  problemsWith,
  requestIdOf,
  SERVICE_ERRORS,
} from '../../../test/support/faultyService/serviceErrors.ts';
import { QrServiceClient } from '../client/QrServiceClient.ts';
import { isErrorCode } from '../contract/errorCodes.ts';
import { describeError, describeNotPublished } from './describeError.ts';

const WORDS = { credential: 'settings', rerun: 'run it again', scopes: 'The app lists the scopes of a key.' };
const NOT_PUBLISHED = { ...WORDS, publish: 'publish it', again: "Don't create it again." };

/** What a call throws when the service responds with this error. Nothing is retried. */
async function thrownBy(
  { status, headers = {}, body }: (typeof SERVICE_ERRORS)[string],
  call: (client: QrServiceClient) => Promise<unknown>,
): Promise<unknown> {
  const transport = () => Promise.resolve({ status, headers, body });
  const options = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', transport, retry: false } as const;
  return call(new QrServiceClient(options)).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const CALLS: Record<string, (client: QrServiceClient) => Promise<unknown>> = {
  me: (client) => client.me(),
  create: ({ qr }) =>
    qr.create({ name: 'Door', mode: 'dynamic', contentType: 'url', content: { targetUrl: 'mailto:nope' } }),
  get: ({ qr }) => qr.get('qr_1'),
  list: ({ qr }) => qr.listPage(),
  publish: ({ qr }) => qr.publish('qr_1'),
  render: ({ qr }) => qr.render('qr_1', { format: 'png' }),
  retarget: ({ qr }) => qr.retarget('qr_1', 'mailto:nope'),
  subscribe: ({ webhooks }) =>
    webhooks.subscribe({ url: 'https://example.com/hook', eventTypes: ['qr.created'] }),
  scans: async ({ scans }) => {
    for await (const _scan of scans.list());
  },
};

describe.each(Object.entries(SERVICE_ERRORS))('%s', (what, error) => {
  it('has exactly this title and description for a rejected update of a destination', async () => {
    const thrown = await thrownBy(error, CALLS['retarget']!);
    const { message, description, reference } = describeError(thrown, WORDS);
    expect([message, description]).toEqual([error.title, error.advice(WORDS)]);
    expect(reference).toContain(requestIdOf(error) ?? '');
  });

  it('says what happened and what to do for every call, and for a code that is left unpublished', async () => {
    for (const [name, call] of Object.entries(CALLS)) {
      const thrown = await thrownBy(error, call);
      for (const { message, description } of [
        describeError(thrown, WORDS),
        describeNotPublished({ qrCode: { id: 'qr_1' }, cause: thrown }, NOT_PUBLISHED),
      ]) {
        const told = `${what}, ${name}: ${message} | ${description}`;
        expect([told, problemsWith(message, description)]).toEqual([told, []]);
        if (isErrorCode(what)) expect(description).not.toBe('');
      }
    }
  });
});
