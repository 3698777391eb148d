import type { QrServiceClient } from '../client/QrServiceClient.ts';
import type { QrCode } from '../contract/types.ts';
import { SAMPLE_QR_CODE } from '../contract/fields.ts';
import { TransportError } from '../errors/QrServiceError.ts';
import { createAndPublish, retargetCode } from './codeWrites.ts';
import { isNotPublishedError } from './describeError.ts';

const { updatedAt, ...lasting } = { ...SAMPLE_QR_CODE, status: 'draft' };
const DRAFT = { ...lasting, updatedAt };
const ROW = { name: 'Table 4', targetUrl: 'https://example.com/menu' };
const CONTENT = { mode: 'dynamic', contentType: 'url', content: { targetUrl: ROW.targetUrl } };

/** Creates a code with a service that publishes in the given way. */
function create(publication: () => Promise<Partial<QrCode>>, publish = true) {
  const qr = { create: jest.fn(() => Promise.resolve(DRAFT)), publish: jest.fn(publication) };
  const options = { publish, createOptions: { idempotencyKey: 'k' }, publishOptions: { timeoutMs: 1 } };
  return { ...qr, result: createAndPublish(qr as unknown as QrServiceClient['qr'], ROW, options) };
}

it.each<[string, publication: Partial<QrCode>, expected: Partial<QrCode>]>([
  ['the code', { ...DRAFT, status: 'published' }, { ...DRAFT, status: 'published' }],
  ['a part of it', { id: DRAFT.id }, { ...lasting, status: 'published' }],
])(
  'creates and publishes with the options of each, if the response is %s',
  async (_what, publication, code) => {
    const call = create(() => Promise.resolve(publication));
    expect(await call.result).toEqual({ ...code, targetUrl: ROW.targetUrl });
    const options = { idempotencyKey: 'k', onReplay: expect.any(Function) as unknown };
    expect(call.create.mock.calls).toEqual([[{ name: ROW.name, ...CONTENT }, options]]);
    expect(call.publish.mock.calls).toEqual([[DRAFT.id, { timeoutMs: 1 }]]);
  },
);

it('publishes only if requested', async () => {
  const { result, publish } = create(() => Promise.reject(new Error('not called')), false);
  expect(await result).toEqual({ ...DRAFT, targetUrl: ROW.targetUrl });
  expect(publish).not.toHaveBeenCalled();
});

it('names the code that was created but not published, and keeps it, unless that was canceled', async () => {
  const failure = (kind: TransportError['kind']) => new TransportError('No answer.', { kind });
  const cause = failure('network');
  const error: unknown = await create(() => Promise.reject(cause)).result.catch((reason: unknown) => reason);
  expect(isNotPublishedError(error)).toBe(true);
  const message = `The QR code ${DRAFT.id} was created but not published. No answer.`;
  expect(error).toMatchObject({ code: 'not_published', message, cause, qrCode: DRAFT });
  const canceled = failure('aborted');
  await expect(create(() => Promise.reject(canceled)).result).rejects.toBe(canceled);
});

// A short link that no read shows before the update: a report of a column of short links mapped as targets.
it('says that a code now leads to itself, if its short link shows only then', async () => {
  const qr = { retarget: () => Promise.resolve(SAMPLE_QR_CODE) } as unknown as QrServiceClient['qr'];
  await expect(retargetCode(qr, SAMPLE_QR_CODE.id, SAMPLE_QR_CODE.publicUrl)).rejects.toMatchObject({
    message: expect.stringMatching(/ is its own short link\.$/) as string,
    advice: expect.stringMatching(/^Its destination was updated, so it opens nothing now\./) as string,
  });
});
