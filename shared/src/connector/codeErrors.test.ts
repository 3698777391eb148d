import type { QrCode } from '../contract/types.ts';
import * as errors from './codeErrors.ts';

const CODE = { id: 'qr1', name: 'Menu', publicUrl: 'https://r.example/m' } as QrCode;
const MENU = '"Menu" (ID qr1, https://r.example/m)';
const RESTORE = "Its short link doesn't work. Restore it in the app, then publish it.";
const USE = 'Use the address of the page that a scan should open.';

it.each<[() => Error, code: string, message: string, advice: string]>([
  [
    () => errors.notListed('Menu'),
    'not_listed',
    'A QR code for "Menu" was requested in the last minutes, with another target, but the service doesn\'t list it.',
    'Wait ten minutes, then run this again.',
  ],
  [
    () => errors.renamed('Menu', CODE),
    'renamed',
    'The QR code for "Menu" was renamed.',
    `It is now ${MENU}. To use it, put its ID into the row. To create another one, use a different name. Its destination was updated.`,
  ],
  [
    () => errors.twoTargets('Menu', ['one', 'another']),
    'conflicting_rows',
    'The name "Menu" has two targets: one and another.',
    'Nothing was sent for these rows. Use a different name for each QR code, or the same target, or match by ID.',
  ],
  [
    () => errors.archived(CODE, true),
    'archived',
    `The destination of the archived QR code ${MENU} was updated.`,
    RESTORE,
  ],
  [
    () => errors.leadsBack(CODE, { wasChanged: true }),
    'validation_failed',
    `The target of the QR code ${MENU} is its own short link.`,
    `Its destination was updated, so it opens nothing now. ${USE}`,
  ],
  [
    () => errors.searchLimit(20_000),
    'search_limit',
    'This workspace has more QR codes than can be searched in 20 seconds.',
    "Use the QR code's ID.",
  ],
])('%s: %s', (error, code, message, advice) => expect(error()).toMatchObject({ code, message, advice }));

it('says what to do if the service does not find a new code', () =>
  expect(errors.notVisible(CODE)).toMatchObject({
    code: 'not_visible',
    message: `The service doesn't find the new QR code ${MENU}. It was created, but may not be published. Wait a few minutes, then run this again. If you have deleted this code, use a different name and leave the code empty.`,
  }));

it('names up to five codes with one name', () => {
  const advice = `Use the ID of one of them, or rename the others: ${Array(5).fill(MENU).join(', ')}`;
  const five = Array<QrCode>(5).fill(CODE);
  const matching = (end: string) => expect.objectContaining({ advice: `${advice}${end}` });
  expect(() => errors.onlyOne('Menu', five)).toThrow(matching('.'));
  expect(() => errors.onlyOne('Menu', [...five, CODE])).toThrow(matching(' and 1 more.'));
});
