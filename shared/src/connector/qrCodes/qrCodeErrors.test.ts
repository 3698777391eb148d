import type { QrCode } from '../../contract/types.ts';
import type { QrServiceError } from '../../errors/QrServiceError.ts';
import type { ParameterError } from '../inputs/ParameterError.ts';
import * as errors from './qrCodeErrors.ts';

const CODE = { id: 'qr1', name: 'Menu', publicUrl: 'https://r.example/m' } as QrCode;
const MENU = '"Menu" (ID qr1, https://r.example/m)';
const OTHER = { id: 'qr2', name: 'Bar', publicUrl: 'https://r.example/b' } as QrCode;
const CHANGED = 'Its destination was updated';
const RESTORE = 'Restore it in the app, then publish it.';
const PAGE = 'Use the URL of the page that a scan should open.';

it.each<[code: string, ParameterError | QrServiceError, said: string]>([
  ['not_found', errors.codeNotFound('qr1', 'Check it.'), "QR code qr1 doesn't exist. Check it."],
  [
    'not_found',
    errors.codeNotFound('r.example/m', 'Check it.'),
    'No QR code has the short link r.example/m. Check it.',
  ],
  [
    'search_limit',
    errors.searchLimit(20_000),
    "This workspace has more QR codes than can be searched in 20 seconds. Use the QR code's ID.",
  ],
  [
    'not_listed',
    errors.notListed('Menu'),
    'A QR code for "Menu" was requested minutes ago with another destination and isn\'t listed yet. Wait ten minutes, then run this again.',
  ],
  [
    'renamed',
    errors.renamed('Menu', CODE),
    `The QR code for "Menu" was renamed. ${CHANGED}. It is now ${MENU}. To use it, put its ID into the row. To create another one, use a different name.`,
  ],
  [
    'conflicting_rows',
    errors.twoTargets('Menu', ['one', 'another']),
    'The name "Menu" has two destinations: one and another. Nothing was sent for these rows. Use a different name for each QR code, or the same destination, or match by ID.',
  ],
  [
    'archived',
    errors.archived(CODE),
    `The QR code ${MENU} is archived. Its short link doesn't work. It was not changed. ${RESTORE}`,
  ],
  [
    'archived',
    errors.archived(CODE, true),
    `The destination of the archived QR code ${MENU} was updated. Its short link doesn't work. ${RESTORE}`,
  ],
  [
    'validation_failed',
    errors.leadsBack(CODE),
    `The destination of the QR code ${MENU} is its own short link. Nothing was sent. ${PAGE}`,
  ],
  [
    'validation_failed',
    errors.leadsBack(CODE, { other: OTHER, wasChanged: true }),
    `The destination of the QR code ${MENU} is the short link of "Bar" (ID qr2, https://r.example/b), which leads back to it. ${CHANGED}, so scans now end in a redirect loop. ${PAGE}`,
  ],
  [
    'not_visible',
    errors.notVisible(CODE),
    `The service doesn't find the new QR code ${MENU}. It was created, but may not be published. Wait a few minutes, then run this again.`,
  ],
])('%s: %s', (code, error, said) => {
  expect(error.code).toBe(code);
  expect('advice' in error ? `${error.message} ${error.advice}` : error.message).toBe(said);
});

it('names up to five codes with one name', () => {
  const five = Array<QrCode>(5).fill(CODE);
  const all = `Use the ID of one of them, or rename the others: ${Array(5).fill(MENU).join(', ')}`;
  const refusal = (message: string, advice: string) =>
    expect.objectContaining({ code: 'ambiguous_name', message, advice });
  expect(() => errors.onlyOne('Menu', five)).toThrow(refusal('5 QR codes have the name "Menu".', `${all}.`));
  const six = refusal('6 QR codes have the name "Menu".', `${all} and 1 more.`);
  expect(() => errors.onlyOne('Menu', [...five, CODE])).toThrow(six);
});
