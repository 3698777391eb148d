import { WIRE_CHOICES, type WireShape } from 'qr-service-emulator';
import { WIRE_SHAPES } from '../../../harness/wireShapes.ts';
import { contradictions, observable } from './support/observable.ts';
import { probeEmulator, stopProbed, withVerdict } from './support/probeEmulator.ts';

afterEach(stopProbed);

const VARIATIONS = Object.entries(WIRE_CHOICES).flatMap(([point, forms]) =>
  forms.slice(1).map((form): [string, WireShape] => [`${point}: ${form}`, { [point]: form }]),
);

describe.each([...WIRE_SHAPES, ...VARIATIONS])('%s', (_name, shape) => {
  test.each([
    ['read-only', false],
    ['writing', true],
  ])('finds the shape that was set, and nothing else: %s', async (_mode, write) => {
    const { report, emulator } = await probeEmulator({ wireShape: shape }, { write });
    expect(report.shape.wireShape).toEqual(observable(shape, write));
    const departing = withVerdict(report, 'fails', 'differs').map((text) => text.split(' ')[0]);
    const expected = contradictions(shape);
    expect(departing.filter((id) => !expected.includes(id as string))).toEqual([]);
    const methods = new Set(emulator.control.requests().map(({ method }) => method));
    if (!write) expect([...methods]).toEqual(['GET']);
  });
});
