import type { ProbeReport } from '../findings/ProbeReport.ts';
import { summarize } from './summary.ts';

/** The report as JSON, for programs. */
export function jsonReport(report: ProbeReport): string {
  const { verdict, headline } = summarize(report.findings);
  return `${JSON.stringify({ verdict, headline, ...report }, undefined, 2)}\n`;
}
