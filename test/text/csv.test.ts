import { describe, expect, it } from 'vitest';
import { csvColumns, csvEntry, csvHead } from '../../src/operations/csv.ts';
import * as s from '../../src/operations/json-schema.ts';
import { csvLine } from '../../src/text/csv.ts';

describe('pages 21: a line of a CSV file', () => {
  it('follows RFC 4180: a cell with a mark of the format stands in quotes', () => {
    expect(csvLine(['a', 'b,c', 'd "e"', 'f\ng', ''])).toBe('a,"b,c","d ""e""","f\ng",\r\n');
  });

  it.each(['=1+1', '+4791234567', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', ' =1+1', '＝1+1'])(
    'PP2: is no formula: %j',
    (text) => {
      expect(csvLine([text, 'x']).replace(/^"/, '').startsWith(`'${text}`)).toBe(true);
      expect(csvLine([`a${text}`, 'x'])).toMatch(/^"?a/);
    },
  );

  it('PP2: is no formula either where a spreadsheet parts it at semicolons or line breaks', () => {
    expect(csvLine(['a;=1+1;b', 'a; @b', 'a\r\n-1', 'a; b'])).toBe(`a;'=1+1;b,a;' @b,"a\r'\n'-1",a; b\r\n`);
  });

  it('has a column for each property and for each part of one, in the order of the schema', () => {
    const schema = s.exactly('A thing', {
      id: s.wholeNumber('Its number', 1),
      address: s.orNull(s.exactly('Where', { line1: s.text('Line'), city: s.text('City') })),
      words: s.texts('Words'),
      on: s.flag('On'),
    });
    const columns = csvColumns(schema);
    expect(csvHead(columns)).toBe('id,address.line1,address.city,words,on\r\n');
    const address = { city: 'Oslo', line1: '=cmd' };
    expect(csvEntry(columns, { id: 1, address, words: ['a', 'b'], on: true })).toBe(
      `1,'=cmd,Oslo,"[""a"",""b""]",true\r\n`,
    );
    expect(csvEntry(columns, { id: 2, address: null, words: [], on: false })).toBe('2,,,,false\r\n');
  });
});
