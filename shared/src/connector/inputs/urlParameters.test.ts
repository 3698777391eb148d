import { withUrlParameters } from './urlParameters.ts';

const add = (url: string, ...pairs: [name: unknown, value: unknown][]) => {
  const parameters = pairs.map(([name, value]) => ({ name, value }));
  return withUrlParameters(url, parameters, { label: 'URL Parameters' });
};

const PAGE = 'https://a.example/menu';

it.each<[url: string, name: unknown, value: unknown, result: string]>([
  [PAGE, 'utm_source', 'qr', `${PAGE}?utm_source=qr`],
  ['https://a.example', 'a', 1, 'https://a.example?a=1'],
  [`${PAGE}?`, 'a', '1', `${PAGE}?a=1`],
  // Before the fragment, behind the others, which stay as they are.
  [`${PAGE}?b=%7e+x&&c#top?a=2`, 'a', '1', `${PAGE}?b=%7e+x&&c&a=1#top?a=2`],
  [`${PAGE}?b=1&`, 'a', '1', `${PAGE}?b=1&a=1`],
  // In the place of one of that name, however it is encoded.
  [`${PAGE}?a=0&b=1&a=2&aa=3`, 'a', '1', `${PAGE}?a=1&b=1&aa=3`],
  [`${PAGE}?t%61ble+no=0&b=1`, 'table no', '1', `${PAGE}?table%20no=1&b=1`],
  [`${PAGE}?a&%zz`, 'a', '1', `${PAGE}?a=1&%zz`],
  // Encoded once.
  [PAGE, 'a', 'x%20y z', `${PAGE}?a=x%20y%20z`],
  [PAGE, 'a', '50%Deal Gr%C3%BC%c3%9fe', `${PAGE}?a=50%25Deal%20Gr%C3%BC%C3%9Fe`],
  [PAGE, 'a', '100% & more#1+1', `${PAGE}?a=100%25%20%26%20more%231%2B1`],
  [PAGE, 'straße', 'Grüße 👋🏽', `${PAGE}?stra%C3%9Fe=Gr%C3%BC%C3%9Fe%20%F0%9F%91%8B%F0%9F%8F%BD`],
  // Without a value, nothing is added or replaced.
  [`${PAGE}?a=0`, 'a', ' ', `${PAGE}?a=0`],
  ['mailto:a@b.example', '', null, 'mailto:a@b.example'],
])('turns %s with %j = %j into %s', (url, name, value, result) => {
  expect(add(url, [name, value])).toBe(result);
  expect(add(url, [name, value], ['last', undefined])).toBe(result);
});

it('adds several in their order, also of one name', () =>
  expect(add(`${PAGE}?b=0`, ['c', 1], ['b', 2], ['a', 3], ['c', 4])).toBe(`${PAGE}?b=2&c=1&c=4&a=3`));

it.each<[url: string, name: unknown, value: unknown, problem: string]>([
  [PAGE, '', 'qr', 'URL Parameters has a value without a name.'],
  [
    PAGE,
    'a',
    '{{ $json.x }}',
    "URL Parameters (a) contains a placeholder instead of its value: '{{ $json.x }}'.",
  ],
  [PAGE, 'a', '#REF!', "URL Parameters (a) is an error instead of text: '#REF!'."],
  [PAGE, 'a', '\ud83d', "URL Parameters (a) contains a character that was lost: '\ufffd'."],
  [PAGE, 'a', { b: 1 }, 'URL Parameters (a) must be text, but got an object.'],
  ['tel:123', 'a', '1', "URL Parameters can't be added to a link such as tel:."],
])('refuses to add to %s %j = %j', (url, name, value, message) =>
  expect(() => add(url, [name, value])).toThrow(expect.objectContaining({ message, name: 'ParameterError' })),
);
