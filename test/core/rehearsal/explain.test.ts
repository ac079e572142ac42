import { describe, expect, it } from 'vitest';
import { allRules, explain } from '../../../src/core/rehearsal/explain/explain.ts';
import type { WireEntry } from '../../../src/core/rehearsal/wire.ts';
import { leadsSomewhere } from '../../../tools/citations.ts';

const sources = [...new Set(allRules.map(({ source }) => source.name))];

describe('where an explanation stands', () => {
  it.each(sources.filter((name) => !name.startsWith('RFC')))('%s is in our documents', (name) => {
    const [, heading] = /^contract.{2}"(.+)"$/.exec(name) ?? [];
    expect(leadsSomewhere(heading === undefined ? name.replace(' ', '-') : `contract: ${heading}`)).toBe(
      true,
    );
  });

  it.each(sources.filter((name) => name.startsWith('RFC')))('%s leads to its section', (name) => {
    const [, number, section] = /^RFC (\d{4}) §([\d.]+)$/.exec(name) ?? [];
    const hrefs = allRules.filter(({ source }) => source.name === name).map(({ source }) => source.href);
    expect([...new Set(hrefs)]).toEqual([`https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`]);
  });
});

/** An entry that nothing is known of but what is said here. */
const entry = (more: Partial<WireEntry>): WireEntry => ({
  id: 2,
  came: 1,
  at: 0,
  answeredAt: 0,
  client: null,
  found: false,
  endpoint: 'unknown',
  request: { method: 'GET', path: '/', headers: {}, parameters: {} },
  answer: { status: 200, headers: {}, body: null, claims: {} },
  reference: 'reference',
  took: 0,
  refusal: null,
  fault: null,
  lost: false,
  hungUp: null,
  ended: null,
  ...more,
});

describe('what no rule was written for', () => {
  it('is said by its refusal, or by its status', () => {
    const refused = entry({ refusal: { error: 'odd', because: 'it was odd', rule: null } });
    expect(explain(refused, [refused])).toMatchObject({ says: 'Refused: it was odd.', tone: 'bad' });
    const plain = entry({ endpoint: 'par', answer: { ...refused.answer, status: 204 } });
    expect(explain(plain, [plain]).tone).toBe('plain');
  });

  it('no parameter makes a rule fail, whatever a stranger sent', () => {
    const endpoints = ['token', 'device', 'revocation', 'authorization', 'page', 'member_api'] as const;
    for (const endpoint of endpoints) {
      for (const parameters of [
        {},
        { grant_type: ['a', 'b'] },
        { grant_type: 'constructor', device_code: '' },
      ]) {
        const odd = entry({ endpoint, request: { ...entry({}).request, parameters } });
        expect(explain(odd, [odd]).says).not.toBe('');
      }
    }
  });
});
