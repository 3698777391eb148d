import { apiError } from '../../../../test/support/modelService/apiError.ts';
import type { PlatformClient } from '../../client/PlatformClient.ts';
import type { CreateCallOptions } from '../../client/QrCodes.ts';
import { SAMPLE_QR_CODE } from '../../contract/fields.ts';
import type { QrCode, QrCodeInput } from '../../contract/types.ts';
import { TransportError } from '../../errors/TransportError.ts';
import { createAndPublish, publishCode, retargetCode } from './writes.ts';

const { updatedAt, ...lasting } = { ...SAMPLE_QR_CODE, status: 'draft' };
const DRAFT = { ...lasting, updatedAt };
const { id } = DRAFT;
const PUBLISHED = { ...DRAFT, status: 'published' };
const ARCHIVED = { ...DRAFT, status: 'archived' };
const ROW = { name: 'Table 4', targetUrl: 'https://example.com/menu' };

const client = (qr: object) => qr as PlatformClient['qr'];
const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;

/** Creates a code with a service that publishes in the given way. */
function create(publication: () => Promise<Partial<QrCode>>, { publish = true, isReplay = false } = {}) {
  const created = (_input: QrCodeInput, { onReplay }: CreateCallOptions) => {
    if (isReplay) onReplay?.();
    return Promise.resolve(DRAFT);
  };
  const qr = { create: jest.fn(created), publish: jest.fn(publication) };
  const options = { publish, createOptions: { idempotencyKey: 'k' }, publishOptions: { timeoutMs: 1 } };
  return { ...qr, result: createAndPublish(client(qr), ROW, options) };
}

it.each<[Partial<QrCode>, Partial<QrCode>]>([
  [PUBLISHED, PUBLISHED],
  [{ id }, { ...lasting, status: 'published' }],
])('creates and publishes with the options of each, if the response is %j', async (publication, code) => {
  const call = create(() => Promise.resolve(publication));
  expect(await call.result).toEqual({ ...code, targetUrl: ROW.targetUrl });
  const options = { idempotencyKey: 'k', onReplay: expect.any(Function) as unknown };
  expect(call.create.mock.calls).toEqual([[ROW, options]]);
  expect(call.publish.mock.calls).toEqual([[id, { timeoutMs: 1 }]]);
});

it('publishes only if requested, and says where it pointed the code, even if the creation was replayed', async () => {
  const { result, publish } = create(() => Promise.reject(new Error('not called')), { publish: false });
  expect(await result).toEqual({ ...DRAFT, targetUrl: ROW.targetUrl });
  expect(publish).not.toHaveBeenCalled();
  expect(await create(() => Promise.resolve(PUBLISHED), { isReplay: true }).result).toEqual({
    ...PUBLISHED,
    targetUrl: ROW.targetUrl,
  });
});

it('names the code that was created but not published, and keeps it, unless that was canceled', async () => {
  const fail = (cause: TransportError) => expect(create(() => Promise.reject(cause)).result).rejects;
  const cause = new TransportError('No answer.', { code: 'network' });
  const message = `The QR code ${id} was created but not published. No answer.`;
  await fail(cause).toMatchObject({ name: 'NotPublishedError', message, cause, qrCode: DRAFT });
  const canceled = new TransportError('No answer.', { code: 'aborted' });
  await fail(canceled).toBe(canceled);
});

const down = new TransportError('Down.', { code: 'network' });
it.each<[Error | QrCode, read: Error | QrCode, refusal: 'archived' | 'its reason']>([
  [ARCHIVED, DRAFT, 'archived'],
  [apiError(409, 'conflict'), ARCHIVED, 'archived'],
  [apiError(422, 'validation_failed'), ARCHIVED, 'archived'],
  [apiError(422, 'validation_failed'), DRAFT, 'its reason'],
  [apiError(422, 'validation_failed'), down, 'its reason'],
  [apiError(422, 'approval_required'), ARCHIVED, 'its reason'],
  [apiError(422, 'contrast_check_failed'), ARCHIVED, 'its reason'],
  [apiError(500, 'http_500'), ARCHIVED, 'its reason'],
])('a publication that results in %j, of a code that is %j, fails as %s', async (response, read, refusal) => {
  const settle = (what: Error | QrCode) =>
    what instanceof Error ? Promise.reject(what) : Promise.resolve(what);
  const get = jest.fn(() => settle(read));
  const options = { timeoutMs: 1 };
  const failing = expect(publishCode(client({ publish: () => settle(response), get }), id, options)).rejects;
  if (refusal === 'archived') await failing.toThrow(/^The QR code .* is archived\.$/);
  else await failing.toBe(response);
  for (const call of get.mock.calls) expect(call).toEqual([id, options]);
});

// A short link that no read shows before the update: a report of a column of short links mapped as targets.
it('updates a destination, and says if the code is archived or now leads to itself', async () => {
  const retarget = (code: QrCode, targetUrl = ROW.targetUrl) =>
    retargetCode(client({ retarget: () => Promise.resolve(code) }), { id }, targetUrl);
  expect(await retarget(PUBLISHED)).toEqual({ ...PUBLISHED, targetUrl: ROW.targetUrl });
  await expect(retarget(PUBLISHED, PUBLISHED.publicUrl)).rejects.toMatchObject({
    message: matching(/ is its own short link\.$/),
    advice: matching(/^Its destination was updated, so scans now end in a redirect loop\./),
  });
  await expect(retarget(ARCHIVED)).rejects.toMatchObject({
    message: matching(/^The destination of the archived QR code .* was updated\.$/),
    advice: "Its short link doesn't work. Restore it in the app, then publish it.",
  });
});

it("sends nothing if a code's known link is its target, and otherwise the change", async () => {
  const retarget = jest.fn(() => Promise.resolve(PUBLISHED));
  const change = (known: object, targetUrl: string) =>
    retargetCode(client({ retarget }), { id, ...known }, targetUrl);
  const { publicUrl } = PUBLISHED;
  for (const known of [PUBLISHED, { publicUrl }])
    await expect(
      change(known, `${publicUrl.replace('https://', 'http://')}/?utm_source=poster`),
    ).rejects.toMatchObject({
      message: matching(/ is its own short link\.$/),
      advice: matching(/^Nothing was sent\./),
    });
  expect(retarget).not.toHaveBeenCalled();
  for (const known of [{}, { publicUrl: '' }, { publicUrl: null }, PUBLISHED])
    expect(await change(known, ROW.targetUrl)).toMatchObject({ targetUrl: ROW.targetUrl });
});
