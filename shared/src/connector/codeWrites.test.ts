import type { QrServiceClient } from '../client/QrServiceClient.ts';
import type { QrCode } from '../contract/types.ts';
import { SAMPLE_QR_CODE } from '../contract/fields.ts';
import { ApiError } from '../errors/ApiError.ts';
import { TransportError } from '../errors/QrServiceError.ts';
import { createAndPublish, retargetCode } from './codeWrites.ts';
import { isNotPublishedError } from './describeError.ts';

const DRAFT = { ...SAMPLE_QR_CODE, status: 'draft' };
const INPUT = {
  name: 'Table 4',
  mode: 'dynamic',
  contentType: 'url',
  content: { targetUrl: 'https://example.com/menu' },
};
const ROW = { name: 'Table 4', targetUrl: 'https://example.com/menu' };

/** Creates a code with a service that publishes in the given way. */
function create(publication: () => Promise<Partial<QrCode>>, publish = true) {
  const calls: unknown[] = [];
  const qr = {
    create: (...call: unknown[]) => {
      calls.push(call);
      return Promise.resolve(DRAFT);
    },
    publish: (...call: unknown[]) => {
      calls.push(call);
      return publication();
    },
  } as unknown as QrServiceClient['qr'];
  const result = createAndPublish(qr, ROW, {
    publish,
    createOptions: { idempotencyKey: 'create' },
    publishOptions: { timeoutMs: 1 },
  });
  return { result, calls };
}

it('creates and publishes with the options of each', async () => {
  const { result, calls } = create(() => Promise.resolve({ ...DRAFT, status: 'published' }));
  expect(await result).toEqual({ ...DRAFT, status: 'published', targetUrl: ROW.targetUrl });
  expect(calls).toEqual([
    [INPUT, { idempotencyKey: 'create', onReplay: expect.any(Function) }],
    [DRAFT.id, { timeoutMs: 1 }],
  ]);
});

it('publishes only if requested', async () => {
  const { result, calls } = create(() => Promise.reject(new Error('not called')), false);
  expect(await result).toEqual({ ...DRAFT, targetUrl: ROW.targetUrl });
  expect(calls).toHaveLength(1);
});

it('returns the published code if the response is only a part of it', async () => {
  const { updatedAt: _updatedAt, ...lasting } = DRAFT;
  const published = { ...lasting, status: 'published', targetUrl: ROW.targetUrl };
  expect(await create(() => Promise.resolve({ id: DRAFT.id })).result).toEqual(published);
});

it('names the code that was created but not published, and keeps it', async () => {
  const cause = new ApiError({
    status: 422,
    code: 'approval_required',
    message: 'Approve it.',
    retryable: false,
    method: 'POST',
    path: '/qr/1/publish',
  });
  const error: unknown = await create(() => Promise.reject(cause)).result.catch((reason: unknown) => reason);
  expect(isNotPublishedError(error)).toBe(true);
  expect(error).toMatchObject({ code: 'not_published', cause, qrCode: DRAFT });
  expect((error as Error).message).toMatch(
    new RegExp(`^The QR code ${DRAFT.id} was created but not published\\. An approval is required first\\.$`),
  );
});

it("throws the publication's own error if it was canceled", async () => {
  const canceled = new TransportError('The request was canceled.', { kind: 'aborted' });
  await expect(create(() => Promise.reject(canceled)).result).rejects.toBe(canceled);
});

it('says that a code now leads to itself, if its short link shows only then', async () => {
  const qr = { retarget: () => Promise.resolve(SAMPLE_QR_CODE) } as unknown as QrServiceClient['qr'];
  await expect(retargetCode(qr, SAMPLE_QR_CODE.id, SAMPLE_QR_CODE.publicUrl)).rejects.toMatchObject({
    message: expect.stringMatching(/ is its own short link\.$/) as string,
    advice: expect.stringMatching(/^Its destination was updated, so it opens nothing now\./) as string,
  });
});
