import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { check, eventsDocument, signedExample } from '../../tools/events-document.ts';

describe('docs/events.md', () => {
  it('is made from the code', () => {
    expect(readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventsDocument());
  });

  it('shows a check that takes its message, and nothing that was changed or is old', async () => {
    const { isFromMemberdoor } = await import(`data:text/javascript,${encodeURIComponent(check)}`);
    const { secret, headers, body } = signedExample();
    const now = Number(headers['webhook-timestamp']) * 1_000;
    expect(isFromMemberdoor(secret, headers, body, now)).toBe(true);
    const both = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
    expect(isFromMemberdoor(secret, both, body, now)).toBe(true);
    expect(isFromMemberdoor(secret, headers, `${body} `, now)).toBe(false);
    expect(isFromMemberdoor(secret, { ...headers, 'webhook-id': 'other' }, body, now)).toBe(false);
    expect(isFromMemberdoor(secret, headers, body, now + 301_000)).toBe(false);
    expect(isFromMemberdoor('whsec_AAAA', headers, body, now)).toBe(false);
  });
});
