/** A signature header as it may have been sent. */
interface HeaderRepair {
  header: string;
  /** What was done to it on its way, as a whole sentence. */
  change: string;
}

const SIGNATURE = /^[\da-f]{64}$/i;

/**
 * Ways in which a signature header is known to be changed, undone: the simplest first.
 * @param values each value that was received: proxies and browsers send a header twice
 */
export function* signatureRepairs(values: readonly string[]): Generator<HeaderRepair> {
  if (values.length > 1)
    for (const [at, header] of values.entries())
      yield { header, change: `The header was sent ${values.length} times; number ${at + 1} is usable.` };
  for (const value of values) yield* repairsOf(value);
}

function* repairsOf(value: string): Generator<HeaderRepair> {
  const repairs: readonly (readonly [change: string, repair: (header: string) => string])[] = [
    ['It was folded over several lines.', (header) => header.replaceAll(/[\r\n]\s*/g, '')],
    ['It has spaces at its ends.', (header) => header.trim()],
    ['It is in quotes.', (header) => bare(header)],
    ['Its values are in quotes.', (header) => header.replaceAll(/["']/g, '')],
    ['It has spaces inside.', (header) => header.replaceAll(/\s/g, '')],
    ['It was encoded for a URL.', (header) => header.replaceAll(/%3d/gi, '=').replaceAll(/%2c/gi, ',')],
    ['It was escaped for HTML.', (header) => header.replaceAll(/&#x3d;|&#61;|&equals;/gi, '=')],
    [
      'Its parts are separated in another way than by commas.',
      (header) => header.replaceAll(/[;&|\s]+/g, ','),
    ],
    ['Its parts have another case.', (header) => header.toLowerCase()],
    ['Its v1 is prefixed with an algorithm.', (header) => header.replaceAll(/v1=sha256[=:]/gi, 'v1=')],
    ['It has a prefix.', (header) => header.replace(/^\w+[=: ]\s*(?=t=)/, '')],
  ];
  for (const [change, repair] of repairs) yield { header: repair(value), change };
  // All of them, as a tool that does one often does another.
  const all = repairs.reduce((header, [, repair]) => repair(header), value);
  yield { header: all, change: 'It was changed in several ways.' };
  // A value that was sent twice in one header.
  const [first = '', second] = value.split(/,\s*(?=t=)/);
  if (second !== undefined) {
    yield { header: first, change: 'The header was sent twice; the first value is usable.' };
    yield { header: second, change: 'The header was sent twice; the second value is usable.' };
  }
}

/** Says what is wrong with a signature header that can't be read, without its signature. */
export function describeSignatureHeader(header: string): string {
  const parts = header.split(',').map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [times, signatures] = [valuesOf('t'), valuesOf('v1')];
  if (header.trim() === '') return 'It is empty.';
  if (times.length === 0 && signatures.length === 0)
    return `It has neither t= nor v1=${parts.map((part) => formOf(part)).find((form) => form !== undefined) ?? ''}.`;
  if (times.length !== 1) return times.length === 0 ? 'It has no t=.' : `It has t= ${times.length} times.`;
  if (/^[1-9]\d{12}$/.test(times[0] ?? '')) return 'Its t= is in milliseconds.';
  if (!/^[1-9]\d{0,11}$/.test(times[0] ?? '')) return "Its t= isn't a whole number of seconds.";
  if (signatures.length === 0) return 'It has no v1=.';
  const unusable = signatures.find((signature) => !SIGNATURE.test(signature));
  if (unusable === undefined) return 'Its v1= mixes upper and lower case.';
  const form = formOf(unusable);
  if (form !== undefined) return `Its v1= isn't 64 hex digits${form}.`;
  const other = /[^\da-f]/i.exec(unusable);
  if (other !== null)
    return `Its v1= has a character that isn't a hex digit, at position ${other.index + 1}.`;
  return `Its v1= has ${unusable.length} hex digits instead of 64.`;
}

/** What else a signature looks like, to end a sentence. */
function formOf(signature: string): string | undefined {
  const [, prefix = '', bare = ''] = /^(?:v\d+=)?(sha-?\d+[=:])?(.*)$/i.exec(signature) ?? [];
  const forms: readonly (readonly [RegExp, string])[] = [
    [SIGNATURE, '64 hex digits'],
    [/^[\da-f]{128}$/i, '128 hex digits, as SHA-512 has'],
    [/^[\w+/-]{43}=?$/, 'Base64'],
    [/^[\w+/-]{86}={0,2}$/, 'Base64, as long as SHA-512'],
  ];
  const form = forms.find(([pattern]) => pattern.test(bare))?.[1];
  return form === undefined ? undefined : `, only ${form}${prefix === '' ? '' : ` after ${prefix}`}`;
}

/** Without quotes and spaces at both ends. */
function bare(header: string): string {
  const start = header.replace(/^["'\s]+/, '');
  return start.replace(/(?<!["'\s])["'\s]+$/, '');
}
