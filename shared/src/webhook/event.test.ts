import { EVENT_TYPES, eventFields, type EventType } from '../contract/events.ts';
import { eventRow, sampleEvent } from './event.ts';

describe('eventRow', () => {
  it.each(EVENT_TYPES)('has exactly the announced fields for %s', (type) => {
    const row = eventRow(sampleEvent(type), 'dlv_1');
    expect(Object.values(row)).not.toContain('');
    expect(Object.keys(row).sort()).toEqual(
      eventFields(type)
        .map((field) => field.key)
        .sort(),
    );
  });

  it('starts with what people need of a code, then says what happened', () => {
    const first = (type: EventType) => Object.keys(eventRow(sampleEvent(type), 'dlv_1')).slice(0, 6);
    expect(first('qr.created')).toEqual(['id', 'name', 'publicUrl', 'status', 'type', 'occurredAt']);
    expect(first('export.ready').slice(0, 2)).toEqual(['type', 'occurredAt']);
  });

  it('flattens a code', () => {
    const code = { id: 'qr_7hK2pQ', qrId: 'qr_7hK2pQ', name: 'Table 4' };
    const row = { eventId: 'evt_sample_qr_created', deliveryId: 'dlv_1', ...code };
    expect(eventRow(sampleEvent('qr.created'), 'dlv_1')).toMatchObject(row);
  });

  it('keeps undocumented data, and data whose name is already in use', () => {
    const event = { ...sampleEvent('export.ready'), data: { type: 'csv', files: [{ url: 'u' }] } };
    expect(eventRow(event)).toMatchObject({ type: 'export.ready', data_type: 'csv', files: [{ url: 'u' }] });
    const rule = (data: object) => eventRow({ ...sampleEvent('redirect.rule_changed'), data: { ...data } });
    const withCode = { id: 'qr_1', qrId: 'qr_1', data_id: 'rule_1' };
    expect(rule({ id: 'rule_1', qrId: 'qr_1' })).toMatchObject(withCode);
    expect(rule({ id: 'rule_1', qrId: null })).toMatchObject({ id: 'rule_1', qrId: null });
    expect(rule({ source: 'app', qr: { source: 'csv' } })).toMatchObject({ source: 'app', qr_source: 'csv' });
  });

  it('keeps data named like an inherited property, and its own prototype', () => {
    const data = JSON.parse('{"__proto__":{"folderId":"f"},"constructor":1,"qr":{"__proto__":{"slug":"s"}}}');
    const row = eventRow({ ...sampleEvent('qr.created'), data });
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    expect(row).toMatchObject({ data_constructor: 1 });
    expect([row['folderId'], row['slug']]).toEqual([undefined, undefined]);
    expect(Object.keys(row)).toContain('data___proto__');
  });
});
