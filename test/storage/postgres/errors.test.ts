import { describe, expect, it } from 'vitest';
import { isOutage } from '../../../src/storage/postgres/errors.ts';

describe('what PostgreSQL says of itself', () => {
  it.each([
    ['57014', 'ended the statement, which took too long'],
    ['25P03', 'ended the transaction, which waited too long'],
    ['40003', 'does not know whether the statement was done'],
    ['57P01', 'stops'],
    ['57P02', 'has crashed'],
    ['57P03', 'does not take connections yet'],
    ['53300', 'has too many connections'],
    ['25006', 'only reads'],
  ])('Z7: %s is an outage: it %s', (code) => {
    expect(isOutage(Object.assign(new Error('of the server'), { code }))).toBe(true);
  });

  it.each(['40001', '23505', '42601'])('Z7: %s is none', (code) => {
    expect(isOutage(Object.assign(new Error('of the server'), { code }))).toBe(false);
  });
});
