/** What a scan can say about the visit. The workspace's privacy settings permit or omit each one. */
export const DIMENSIONS = ['country', 'device', 'os', 'browser', 'referrer'] as const;

/** One of the scan dimensions. */
export type Dimension = (typeof DIMENSIONS)[number];
