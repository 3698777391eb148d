import type { IHookFunctions } from 'n8n-workflow';
import { isKnown, recall, remember } from '../nodes/QrServiceTrigger/SubscriptionMemory.ts';

const URL_OF = 'https://n8n.example.com/webhook/a';
const context = (workflowId: string) =>
  ({ getWorkflow: () => ({ id: workflowId }), getNode: () => ({ id: 'node' }) }) as unknown as IHookFunctions;
const about = (id: string, formers: string[] = []) => ({
  newest: { subscriptionId: id, secret: `secret of ${id}` },
  isOwn: true,
  print: '',
  formers: new Set(formers),
  candidates: [],
});

test('keeps separate data for each trigger and URL, limited to the latest triggers and former IDs', () => {
  const formers = Array.from({ length: 1000 }, (_, nth) => `whk_${nth}`);
  remember(context('first'), URL_OF, about('whk_first', formers));
  const known = recall(context('first'), URL_OF)!;
  expect(known.formers.size).toBe(200);
  expect(isKnown(known, { subscriptionId: 'whk_999' })).toBe(true);
  expect(isKnown(known, { subscriptionId: 'whk_first' })).toBe(true);
  expect(isKnown(known, {})).toBe(true);
  expect(isKnown(known, { subscriptionId: 'whk_other' })).toBe(false);
  expect(recall(context('first'), `${URL_OF}-test`)).toBeUndefined();
  for (let nth = 0; nth < 5000; nth++) remember(context(`wf_${nth}`), URL_OF, about('whk'));
  expect(recall(context('first'), URL_OF)).toBeUndefined();
  expect(recall(context('wf_0'), URL_OF)).toBeDefined();
});
