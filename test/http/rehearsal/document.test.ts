import { expect } from 'vitest';
import { curl, shellLines, wordsOf } from '../../support/documents/curl.ts';
import { codeOf } from '../../support/documents/documents.ts';
import { itOfSqlite } from '../../support/run/it-of-sqlite.ts';
import { serviceForTest } from '../../support/use-service.ts';

itOfSqlite('every line of curl in rehearsal.md is answered as it says, in its order', async () => {
  const service = await serviceForTest({ data: 'development' });
  const lines = codeOf('rehearsal.md', 'sh').flatMap(shellLines);
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) {
    const answer = await curl(service, `localhost:${service.port}`, wordsOf(line, {}));
    // No TV shows the code of a document, and no request had its reference.
    const expected = /\/rehearsal\/(?:device|why)\b/.test(line) ? 404 : 200;
    expect(answer.status, `${line}\n${answer.text}`).toBe(expected);
    expect(() => answer.json(), line).not.toThrow();
  }
});
