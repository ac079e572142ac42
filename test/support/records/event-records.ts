import type { ToldEvent } from '../../../src/core/events/event.ts';
import { now } from './records.ts';

/** An event of member-1 as it is told. */
export function eventRecord(changes: Partial<ToldEvent> = {}): ToldEvent {
  return {
    tenantId: 'tenant-a',
    number: 7,
    id: '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a11',
    at: now,
    type: 'member.created',
    memberId: 'member-1',
    subject: null,
    clientId: null,
    detail: null,
    changed: null,
    ...changes,
  };
}
