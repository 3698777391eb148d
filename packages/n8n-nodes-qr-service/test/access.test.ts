import type { INodePropertyOptions } from 'n8n-workflow';
import { SCOPES } from '@qr-service/core';
import { QrService } from '../nodes/QrService/QrService.node.ts';
import { findGaps, SCOPE_USES } from '../nodes/shared/access.ts';

const { properties } = new QrService().description;
const optionsOf = (name: string) => properties.filter((property) => property.name === name);

/** Every operation by its labels, for example "QR Code: Create". */
const LABELS = optionsOf('resource').flatMap(({ options: resources }) =>
  (resources as INodePropertyOptions[]).flatMap(({ name: resource, value }) =>
    optionsOf('operation')
      .filter(({ displayOptions }) => displayOptions?.show?.['resource']?.includes(value))
      .flatMap(({ options }) =>
        (options as INodePropertyOptions[]).map(({ name }) => `${resource}: ${name}`),
      ),
  ),
);

test('names what a key cannot be used for by the labels of the node', () => {
  const named = findGaps([]).unavailable.filter((use) => /^(?:QR Code|Scan|Account): /.test(use));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((label) => !LABELS.includes(label))).toEqual([]);
  // Any key may read its account.
  expect(LABELS.filter((label) => !named.includes(label) && label !== 'Account: Get')).toEqual([]);
});

test('the credential explains exactly the scopes that the package needs', () => {
  expect(SCOPES.filter((scope) => scope in SCOPE_USES)).toEqual(findGaps([]).missingScopes);
});
