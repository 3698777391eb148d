import type { WireShape } from 'qr-service-emulator';
import { WIRE_SHAPES } from '../support/wireShapes.ts';
import { FINDING_IDS } from '../../packages/probe/src/findings/catalog.ts';
import { contradictions, observable } from './support/observable.ts';
import { probeEmulator, stopProbed } from './support/probeEmulator.ts';

afterEach(stopProbed);

// The large tests probe every form of every point.
const FEW: [name: string, shape: WireShape, write: boolean][] = [
  ['all defaults, read-only', {}, false],
  ...WIRE_SHAPES.slice(1, 3).map(([name, shape]): (typeof FEW)[number] => [name, shape, true]),
];

test.each(FEW)('finds the shape that was set, and nothing else: %s', async (_name, shape, write) => {
  const { report, emulator } = await probeEmulator({ wireShape: shape }, { write });
  expect(report.shape.wireShape).toEqual(observable(shape, write));
  const departing = report.findings.filter(({ verdict }) => verdict === 'fails' || verdict === 'differs');
  expect(departing.map(({ id }) => id).toSorted()).toEqual(contradictions(shape, write).toSorted());
  expect(report.findings.map(({ id }) => id)).toEqual(FINDING_IDS);
  expect(report.wrote).toBe(write);
  const methods = new Set(emulator.control.requests().map(({ method }) => method));
  expect(methods).toEqual(new Set(write ? ['GET', 'POST', 'DELETE'] : ['GET']));
  const shown = JSON.stringify({
    ...report,
    leftBehind: [],
    findings: report.findings.map(({ details: _, ...rest }) => rest),
  });
  expect(shown).not.toContain(emulator.apiKey);
  expect(shown).not.toMatch(/Table \d|example\.com\/menu|whsec/);
});
