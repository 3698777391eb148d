import { CodeFinder, CodeMemory, SAMPLE_QR_CODE } from '@qr-service/core/connector';

const CODES = 20_000;
const SEARCHES = 1000;
const CREATIONS = 10_000;

/** How long do searches block among 20,000 codes, and creations that have the same name? */
export async function find(): Promise<void> {
  const pages = async function* () {
    yield await Promise.resolve({ rows: [] });
  };
  const finder = new CodeFinder({ list: () => ({ pages }) } as never);
  const indexing = await measure(CODES, (at) => finder.add(codeAt(at)));
  const search = (exact: boolean) => (at: number) => finder.search(`table ${at * 7} menu`, { exact });
  const exact = await measure(SEARCHES, search(true));
  const byPart = await measure(SEARCHES, search(false));
  const remember = (nameAt: (at: number) => string) => {
    const memory = new CodeMemory();
    return measure(CREATIONS, (at) => memory.setCreated(codeAt(at), nameAt(at)));
  };
  const different = await remember((at) => `Table ${at}`);
  const same = await remember(() => 'Menu');
  console.log(`\n${SEARCHES} searches among ${CODES} codes, beside indexing these once (${indexing.toFixed(0)} ms)
  ${(exact / indexing).toFixed(2)} for whole names, ${(exact / SEARCHES).toFixed(2)} ms each
  ${(byPart / indexing).toFixed(2)} for parts of names, ${(byPart / SEARCHES).toFixed(2)} ms each
${CREATIONS} creations of one name, beside those of different names
  ${(same / different).toFixed(2)} (${same.toFixed(0)} ms)`);
}

const codeAt = (at: number) => ({
  ...SAMPLE_QR_CODE,
  id: `qr_${at}`,
  name: `Table ${at} Menu`,
  slug: `table-${at}-menu`,
  publicUrl: `https://r.example/table-${at}-menu`,
});

/** How long so many calls take, in milliseconds. */
async function measure(times: number, work: (at: number) => unknown): Promise<number> {
  const startedAt = performance.now();
  for (let at = 0; at < times; at++) await work(at);
  return performance.now() - startedAt;
}
