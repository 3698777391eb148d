/** Fields that describe the visit in a scan. The workspace's privacy settings allow or omit each one. */
export const DIMENSIONS = ['country', 'device', 'os', 'browser', 'referrer'] as const;

/** One of the scan dimensions. */
export type Dimension = (typeof DIMENSIONS)[number];
