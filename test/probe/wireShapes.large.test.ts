import { WIRE_CHOICES, type WireShape } from 'qr-service-emulator';
import { WIRE_SHAPES } from '../support/wireShapes.ts';
import { contradictions, observable } from './support/observable.ts';
import { probeEmulator, stopProbed } from './support/probeEmulator.ts';

afterEach(stopProbed);

const VARIATIONS = Object.entries(WIRE_CHOICES).flatMap(([point, forms]) =>
  forms.slice(1).map((form): [string, WireShape] => [`${point}: ${form}`, { [point]: form }]),
);

const CASES: [name: string, shape: WireShape, write: boolean][] = [
  ...WIRE_SHAPES.flatMap(([name, shape]): typeof CASES => [
    [`${name}, read-only`, shape, false],
    [name, shape, true],
  ]),
  ...VARIATIONS.map(([name, shape]): (typeof CASES)[number] => [name, shape, true]),
];

test.each(CASES)('finds the shape that was set, and nothing else: %s', async (_name, shape, write) => {
  const { report, emulator } = await probeEmulator({ wireShape: shape }, { write });
  expect(report.shape.wireShape).toEqual(observable(shape, write));
  const departing = report.findings.filter(({ verdict }) => verdict === 'fails' || verdict === 'differs');
  expect(departing.map(({ id }) => id).toSorted()).toEqual(contradictions(shape, write).toSorted());
  const methods = new Set(emulator.control.requests().map(({ method }) => method));
  expect(methods.has('POST')).toBe(write);
  expect(methods.has('DELETE')).toBe(write);
});
