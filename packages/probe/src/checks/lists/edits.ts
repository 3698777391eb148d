import { readTime } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import { MAX_CHANGE_MS, retarget, waitUntil } from '../changes.ts';
import { CheckEnded, type Probe } from '../Probe.ts';
import { requirePage } from './pages.ts';

/** The probe's own codes come on fewer, unless others change many at the same time. */
const MOST_PAGES = 12;
/** Times may be in whole seconds. */
const SECOND_MS = 1000;

/**
 * Changes the oldest of the probe's own codes during a walk, and looks whether the others are still listed.
 * @throws CheckEnded if that can't be seen
 */
export async function checkEdits(probe: Probe): Promise<void> {
  const { written } = probe.known;
  const startedAt = probe.now();
  const ids = new Set(written.map(({ id }) => id));
  const since = Math.min(...written.map(({ updatedAt }) => readTime(updatedAt) ?? Infinity)) - 1000;
  if (probe.answerTo('lists.walk')?.verdict === 'fails')
    throw new CheckEnded('"Walk over several pages" failed, and this depends on it.');
  if (written.length < 3 || !Number.isFinite(since))
    throw new CheckEnded('The probe has too few codes of its own with a time.');
  const query = { limit: 50, updatedSince: new Date(since).toISOString() };
  const list = async (more: Record<string, string | number> = {}) =>
    (await requirePage(probe, { ...query, ...more })).page;
  const own = async () => (await list()).rows.filter(({ id }) => ids.has(id));
  const before = await own();
  const [mover] = before.toSorted(
    (one, other) => (readTime(one.updatedAt) ?? 0) - (readTime(other.updatedAt) ?? 0),
  );
  if (mover === undefined || before.length < 3)
    throw new CheckEnded("The probe's own codes are not listed together.");
  let page = await list({ limit: 1 });
  const walked = [...page.rows];
  await probe.connection.sleep(Math.max(0, startedAt + SECOND_MS - probe.now()));
  await retarget(probe, mover.id);
  const timeIn = (codes: readonly QrCode[]) => codes.find(({ id }) => id === mover.id)?.updatedAt;
  const hasMoved = (codes: readonly QrCode[]) => timeIn(codes) !== mover.updatedAt;
  const after = await waitUntil(probe, own, hasMoved, MAX_CHANGE_MS + (probe.shape.visibleAfterMs ?? 0));
  if (!hasMoved(after)) throw new CheckEnded('A change of a code was not listed.');
  const changed = new Date((readTime(timeIn(after)) ?? SECOND_MS) - SECOND_MS / 2).toISOString();
  const listChanged = async () => (await list({ updatedSince: changed })).rows;
  const isListed = (codes: readonly QrCode[]) => timeIn(codes) !== undefined;
  if (!isListed(await waitUntil(probe, listChanged, isListed)))
    probe.answer('lists.since', {
      verdict: 'fails',
      value: 'not by updatedAt',
      explanation:
        'A code that changed is not listed with updatedSince just before its updatedAt. Polling misses changes of older codes.',
    });
  for (let pages = 1; page.nextCursor !== undefined && pages < MOST_PAGES; pages++) {
    page = await list({ limit: 1, cursor: page.nextCursor });
    walked.push(...page.rows);
  }
  const others = before.filter(({ id }) => id !== mover.id);
  const counts = others.map((code) => walked.filter(({ id }) => id === code.id).length);
  const isMissing = counts.includes(0);
  const isRepeated = counts.some((count) => count > 1);
  if (isMissing && page.nextCursor !== undefined)
    throw new CheckEnded('The list is longer than the probe reads.');
  probe.answer('lists.edits', {
    verdict: isMissing ? 'fails' : isRepeated ? 'differs' : 'works',
    value: isMissing ? 'rows vanish' : isRepeated ? 'rows repeat' : 'no row is lost',
    explanation: isMissing
      ? 'When a code changes while a list is read, another one is left out. The connector misses it.'
      : isRepeated
        ? 'When a code changes while a list is read, another one comes twice. Triggers skip it; steps that list codes return it twice.'
        : undefined,
  });
}
