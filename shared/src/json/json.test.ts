import { omitUndefined } from './json.ts';

it('keeps null, false, 0 and empty text, and drops only undefined', () => {
  const given = { none: undefined, null: null, no: false, zero: 0, text: '' };
  expect(Object.keys(omitUndefined(given))).toEqual(['null', 'no', 'zero', 'text']);
});

it('makes what may be undefined optional in the type', () => {
  const size = undefined as number | undefined;
  const options: { format: string; size?: number } = omitUndefined({ format: 'png', size });
  expect(options).toEqual({ format: 'png' });
});
