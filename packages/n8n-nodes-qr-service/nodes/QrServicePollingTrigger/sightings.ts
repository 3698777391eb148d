import type { Page } from '../../core.ts';

/** A row of a list as polling sees it. */
export interface Sighting {
  row: Record<string, unknown>;
  /** Names the record, whatever its state. */
  id: string;
  /** When the record came into that state, in milliseconds since the epoch; undefined where the service does not say. */
  time: number | undefined;
  /** The id before rows that are alike were numbered; undefined where the row has an id of its own. */
  alike?: string;
}

/** A page as polling sees it. */
export interface SightingsPage extends Page<Sighting> {
  /** When it was read, by n8n's own clock, in milliseconds since the epoch. */
  readAt?: number;
}

/** A place in a list. */
export interface Place {
  /** Lowest time listed, ISO 8601 UTC; undefined for all rows. */
  since: string | undefined;
  /** The page to begin with; undefined for the first. */
  cursor: string | undefined;
  /** Rows that were alike up to there; counts on. */
  counts: Map<string, number>;
}

/** Where a list begins, or its rows since a time. */
export const startOf = (since?: string): Place => ({ since, cursor: undefined, counts: new Map() });

/** Reads a list from a place on, page by page. */
export type ReadPages = (place: Place) => AsyncIterable<SightingsPage>;
