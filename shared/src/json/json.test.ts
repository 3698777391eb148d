import { isObject, omitUndefined, nonEmptyText, stableJson, textList } from './json.ts';

it('reads objects, text and lists of text, and nothing else', () => {
  const values = [{}, [], ['a'], ['a', 1], 'a', '', 7, null, undefined];
  expect(values.filter(isObject)).toEqual([{}]);
  expect(values.filter(nonEmptyText)).toEqual(['a']);
  expect(values.filter(textList)).toEqual([[], ['a']]);
});

it('drops only undefined, and writes keys in one order', () => {
  const given = { zero: 0, none: undefined as number | undefined, no: false, a: { c: null, b: ['', {}] } };
  const defined: { zero: number; none?: number } = omitUndefined(given);
  expect(Object.keys(defined)).toEqual(['zero', 'no', 'a']);
  expect(stableJson(defined)).toBe('{"a":{"b":["",{}],"c":null},"no":false,"zero":0}');
});
