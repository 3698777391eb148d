import type { EventType, QrCode } from '@qr-service/core';
import type { Store } from '../store/index.ts';
import type { NewQrRecord, QrRecord } from '../store/records.ts';
import type { EmitEvent } from './events.ts';

/** Who changed a code. Part of its events. */
type Source = 'public_api' | 'app';

/** Input for a new code (docs/api.md#creating-codes). */
export interface NewCode {
  name: string;
  mode: string;
  contentType: string;
  targetUrl: string;
}

/**
 * Events (docs/api.md#events): `qr.updated` fires on every change of content, name or status, so
 * publishing, archiving and updating the destination fire it in addition to their own event. A call that changes nothing
 * fires no event.
 */
export function codeService(
  store: Store,
  emitEvent: EmitEvent,
  summarize: ReturnType<typeof createSummarize>,
) {
  const emit = (code: QrRecord, source: Source, ...types: EventType[]) => {
    const qr = summarize(code);
    for (const type of types) emitEvent(type, { qrId: code.id, source, qr });
    return code;
  };
  const update = (
    code: QrRecord,
    changes: Parameters<Store['qrCodes']['update']>[1],
    source: Source,
    ...types: EventType[]
  ): QrRecord => {
    const changed = Object.entries(changes).some(([field, value]) => code[field as keyof QrRecord] !== value);
    if (!changed) return code;
    return emit(store.qrCodes.update(code, changes), source, ...types);
  };

  return {
    create(input: NewCode, source: Source): QrRecord {
      const code: NewQrRecord = {
        id: store.ids.newId('qr'),
        ...input,
        slug: freeSlug(store, input.name),
        status: 'draft',
        approvalState: 'not_required',
        folderId: null,
      };
      return emit(store.qrCodes.insert(code), source, 'qr.created');
    },
    publish: (code: QrRecord, source: Source) =>
      update(code, { status: 'published' }, source, 'qr.published', 'qr.updated'),
    retarget: (code: QrRecord, targetUrl: string, source: Source) =>
      update(code, { targetUrl }, source, 'redirect.rule_changed', 'qr.updated'),
    rename: (code: QrRecord, name: string, source: Source) => update(code, { name }, source, 'qr.updated'),
    archive: (code: QrRecord, source: Source) =>
      update(code, { status: 'archived' }, source, 'qr.archived', 'qr.updated'),
    /** Unarchives a code. Its short link works again once it is published. */
    restore: (code: QrRecord, source: Source) =>
      code.status === 'archived' ? update(code, { status: 'draft' }, source, 'qr.updated') : code,
    delete(code: QrRecord, source: Source): void {
      store.qrCodes.remove(code.id);
      emit(code, source, 'qr.deleted');
    },
  };
}

/** A slug that no code has yet: with 10,000 codes of one name, one emulator in 20 would generate a duplicate. */
export function freeSlug(store: Store, name: string): string {
  const slug = store.ids.newSlug(name);
  return store.qrCodes.findBySlug(slug) === undefined ? slug : freeSlug(store, name);
}

/** Returns a function that returns a code as the API does (docs/api.md#qr-codes). */
export function createSummarize(shortLinks: { base: string }) {
  return (code: QrRecord): QrCode => {
    const { id, name, slug, mode, contentType, status, approvalState, folderId, updatedAt } = code;
    const publicUrl = `${shortLinks.base}/${slug}`;
    const changed = new Date(updatedAt).toISOString();
    const state = { status, approvalState, folderId, updatedAt: changed, publicUrl };
    return { id, name, slug, mode, contentType, ...state };
  };
}
