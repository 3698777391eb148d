import type { INodeProperties } from 'n8n-workflow';
import { ScanCounter } from '../../../deps.ts';
import { takeRows } from '../common/listRows.ts';
import type { Operation } from '../common/operation.ts';
import { filters, readFilters, readNames, unnamedWords } from './scans.ts';

export const option = {
  name: 'Count',
  action: 'Count scans',
  description: 'Count scans per QR code, per day or in total',
};

const groupByProperty: INodeProperties = {
  displayName: 'Group By',
  name: 'groupBy',
  type: 'options',
  options: [
    { name: 'Day', value: 'day', description: "One item per day with scans, in the workflow's time zone" },
    { name: 'None', value: 'none', description: 'One item with the total' },
    { name: 'QR Code', value: 'qrCode', description: 'One item per code with scans, the most scanned first' },
  ],
  default: 'qrCode',
  description: 'What scans are counted by. Each item reads all scans, so count all codes with one item.',
};

export const properties = [groupByProperty, filters];

/** Stands for the code of scans that don't name one. */
const NO_CODE = { name: '(no QR code)', publicUrl: null };

/** Counts scans while they are read, and keeps none of them. */
export const start: Operation['start'] = (run) => ({
  check(parameters) {
    const groupBy = parameters.oneOf(groupByProperty);
    const { codeId, since, until } = readFilters(run, parameters);
    return async () => {
      const qrCodeId = await codeId();
      // n8n may have a time zone that only it knows.
      const timeZone = groupBy === 'day' ? run.context.getTimezone() : undefined;
      const counter = new ScanCounter({ since, until, qrCodeId, timeZone });
      for await (const { rows } of run.client.scans.list(counter.query, run.requestOptions).pages()) {
        for (const row of rows) counter.add(row);
        if (counter.isOver) break;
      }
      const { read, scans } = counter;
      const counts = new Map(counter.byCode());
      const unscanned = scans === 0 && qrCodeId !== '' ? [qrCodeId] : [];
      for (const id of unscanned) counts.set(id, 0);
      const ids = groupBy === 'qrCode' ? [...counts.keys()] : [];
      const { nameOf, warning } = await readNames(run, ids, unscanned);
      let rows: object[] = [{ scans }];
      if (groupBy === 'qrCode')
        rows = ids.map((id) => ({ id: id || null, ...(id ? nameOf(id) : NO_CODE), scans: counts.get(id) }));
      if (groupBy === 'day')
        rows = counter.byDay().map(([day, count]) => ({ day: day || null, scans: count }));
      const period = { since: since ?? null, until: until ?? null };
      // By code, they have a row of their own.
      const unnamed = ids.includes('') ? 0 : counter.withoutCode;
      const left = unnamed === 0 ? {} : { scansWithoutQrCode: unnamed };
      const items = rows.map((row) => ({ ...row, ...period, ...left }));
      const words = { rows: 'counts', advice: 'To count fewer scans, use Since and Until.' };
      const note = `Scans read, of all QR codes: ${read.toLocaleString('en-US')}.`;
      const warnings = [unnamedWords(unnamed, qrCodeId === '' ? 'are counted' : "weren't counted"), warning];
      return { outputs: await takeRows(run, items, undefined, words), note, warning: warnings };
    };
  },
});
