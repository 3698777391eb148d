import type { QrCode } from '../contract/types.ts';
import type { QrServiceError } from '../errors/QrServiceError.ts';
import * as errors from './codeErrors.ts';
import type { ParameterError } from './parameters/ParameterError.ts';

const CODE = { id: 'qr1', name: 'Menu', publicUrl: 'https://r.example/m' } as QrCode;
const MENU = '"Menu" (ID qr1, https://r.example/m)';
const RENAMED = `It is now ${MENU}. To use it, put its ID into the row. To create another one, use a different name.`;

it.each<[ParameterError | QrServiceError, code: string, said: string]>([
  [
    errors.notListed('Menu'),
    'not_listed',
    "with another target, but the service doesn't list it. Wait ten minutes",
  ],
  [errors.renamed('Menu', CODE), 'renamed', `"Menu" was renamed. ${RENAMED} Its destination was updated.`],
  [
    errors.twoTargets('Menu', ['one', 'another']),
    'conflicting_rows',
    '"Menu" has two targets: one and another. Nothing was',
  ],
  [errors.searchLimit(20_000), 'search_limit', "can be searched in 20 seconds. Use the QR code's ID."],
  [
    errors.notVisible(CODE),
    'not_visible',
    `doesn't find the new QR code ${MENU}. It was created, but may not`,
  ],
  [
    errors.notVisible(CODE),
    'not_visible',
    'run this again. If you have deleted this code, use a different name',
  ],
])('%s', (error, code, said) => {
  expect(error.code).toBe(code);
  expect(`${error.message} ${'advice' in error ? error.advice : ''}`).toContain(said);
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
