import { BEHAVIOR_CHOICES, WIRE_CHOICES, type WireShape } from 'qr-service-emulator';
import { WIRE_SHAPES } from '../support/wireShapes.ts';
import { contradictions, observable } from './support/observable.ts';
import { lostInShape, probeEmulator, stopProbed } from './support/probeEmulator.ts';

afterEach(stopProbed);

const formsOf = (choices: Readonly<Record<string, readonly (string | number)[]>>) =>
  Object.entries(choices).flatMap(([point, forms]) =>
    forms.map((form): [string, WireShape] => [`${point}: ${form}`, { [point]: form }]),
  );
const VARIATIONS = formsOf(WIRE_CHOICES);
/** An ignored destination isn't seen if the code isn't published either. */
const LOST: Readonly<Record<string, readonly string[]>> = { 'ignored: both': ['lists.edits'] };

const CASES: [name: string, shape: WireShape, write: boolean][] = [
  ...WIRE_SHAPES.flatMap(([name, shape]): typeof CASES => [
    [`${name}, read-only`, shape, false],
    [name, shape, true],
  ]),
  ...VARIATIONS.map(([name, shape]): (typeof CASES)[number] => [name, shape, true]),
];

test.each(CASES)('finds the shape that was set, and nothing else: %s', async (name, shape, write) => {
  const { report, emulator } = await probeEmulator({ wireShape: shape }, { write });
  expect(report.shape.wireShape).toEqual(observable(shape, write));
  const departing = report.findings.filter(({ verdict }) => verdict === 'fails' || verdict === 'differs');
  expect(departing.map(({ id }) => id).toSorted()).toEqual(contradictions(shape, write).toSorted());
  const methods = new Set(emulator.control.requests().map(({ method }) => method));
  expect(methods.has('POST')).toBe(write);
  expect(methods.has('DELETE')).toBe(write);
  if (write && WIRE_SHAPES.some(([whole]) => whole === name)) expect(await lostInShape(report)).toEqual([]);
});

test.each(formsOf(BEHAVIOR_CHOICES))(
  'starts an emulator in which it is found again: %s',
  async (name, shape) => {
    const { report } = await probeEmulator({ wireShape: shape }, { write: true });
    expect(await lostInShape(report)).toEqual(LOST[name] ?? []);
  },
);
