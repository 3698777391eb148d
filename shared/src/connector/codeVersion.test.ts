import { SAMPLE_QR_CODE } from '../contract/samples.ts';
import { codeVersion } from './codeVersion.ts';

const code = { ...SAMPLE_QR_CODE, updatedAt: '2026-01-01T00:00:00.000Z' };

test.each([
  ['another status', { status: 'archived' }],
  ['another name', { name: 'Other' }],
  ['another approval', { approvalState: 'rejected' }],
  ['another folder', { folderId: 'folder_2' }],
  ['another destination in the content', { content: { targetUrl: 'https://example.com/other' } }],
  ['another destination beside it', { targetUrl: 'https://example.com/other' }],
])('tells %s at the same second apart', (_what, change) => {
  expect(codeVersion(code)).toMatch(/^[\w-]{11}$/);
  expect(codeVersion({ ...code, ...change })).not.toBe(codeVersion(code));
});

test.each([
  ['the order of fields', Object.fromEntries(Object.entries(code).reverse()) as typeof code],
  ['a field that the API text does not show', { ...code, scans: 12 }],
])('ignores %s', (_what, other) => {
  expect(codeVersion(other)).toBe(codeVersion(code));
});

test.each(['2026-01-01T00:00:00.001Z', 'yesterday', undefined])(
  'leaves the version to the time %s',
  (updatedAt) => {
    expect(codeVersion({ ...code, updatedAt } as typeof code)).toBeUndefined();
  },
);
