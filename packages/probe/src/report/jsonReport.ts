import type { ProbeReport } from '../findings/ProbeReport.ts';
import { safeJson } from './safeReport.ts';
import { summarize } from './summary.ts';

/** The report as JSON, for programs. */
export function jsonReport(report: ProbeReport): string {
  const { verdict, headline, jobs } = summarize(report.findings, report);
  return safeJson({ verdict, headline, jobs, ...report });
}
