// Texts of the catalogue in which names and times stand as what they are: a name apart from the words around it, a time
// as an element of its own.
import { say } from '../../../../text/portal.ts';
import { timeText } from './amounts.ts';

/** A piece of a text. */
export type Piece =
  | { readonly text: string }
  | { readonly name: string }
  /** Where the day is enough, the time of day is left out. */
  | { readonly iso: string; readonly text: string; readonly only?: 'date' | 'time' };

/** Mark a place in a text: characters that no text has. */
const [opening, closing] = ['\uE000', '\uE001'];

/** A text by its key with values, and with a name or a time in each of its places. */
export function piecesOf(
  key: string,
  places: Readonly<Record<string, Piece>>,
  values: Readonly<Record<string, string | number>> = {},
): readonly Piece[] {
  const marks = Object.fromEntries(
    Object.keys(places).map((place) => [place, `${opening}${place}${closing}`]),
  );
  return say(key, { ...values, ...marks })
    .split(new RegExp(`${opening}(\\w+)${closing}`))
    .flatMap((piece, index): readonly Piece[] => {
      const place = places[piece];
      if (index % 2 === 0) return piece === '' ? [] : [{ text: piece }];
      return place === undefined ? [] : [place];
    });
}

/** A moment as a piece. */
export const moment = (iso: string): Extract<Piece, { iso: string }> => ({ iso, text: timeText(iso) });

const day = 24 * 60 * 60 * 1_000;

/** A moment as a piece that is read beside others: of today the time, else the day. @param now ms */
export function nearby(iso: string, now: number): Extract<Piece, { iso: string }> {
  return { ...moment(iso), only: Math.abs(Date.parse(iso) - now) < day ? 'time' : 'date' };
}

/** A text in which times stand as machines write them. */
export function withTimes(text: string): readonly Piece[] {
  return text
    .split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/)
    .flatMap((piece, index) => (piece === '' ? [] : [index % 2 === 0 ? { text: piece } : moment(piece)]));
}

/** A name as a piece. */
export const called = (name: string): Piece => ({ name });
