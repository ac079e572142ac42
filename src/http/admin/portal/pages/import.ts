// The page of a file of members on its way in: while the service works on it, the page tells how far it is.
import type { FastifyReply } from 'fastify';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import { tableOf } from '../values.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { labelOf } from '../words/labels.ts';
import { badgesOf, detailPage } from './detail.ts';

/** Seconds between two looks: of the script, and of a browser that loads the page anew. */
const paces = { script: 2, reload: 5 };

const counted = ['added', 'changed', 'skipped', 'refused'] as const;

export function showImport(visit: OperationVisit): Promise<FastifyReply> {
  return detailPage(
    visit,
    async (answer) => {
      const { phase, name, percent, isUpload } = answer;
      const check = checkIn(answer);
      const isAtWork = phase === 'checking' || (phase === 'running' && isUpload === true);
      const isTrial = phase === 'checking' || phase === 'checked';
      return {
        template: 'import',
        title: String(name),
        asksOwn: isAtWork,
        data: {
          ...{ badges: badgesOf(answer), note: noteOf(answer), isAtWork, phase, percent },
          counts: phase === 'receiving' ? null : countsIn(isTrial ? check : answer),
          withoutPassword: isTrial ? check.withoutPassword : 0,
          invited: isTrial ? 0 : Number(answer.invited),
          notTaken: check.notTaken.join(', '),
          refused: refusedIn(visit, check.refusedLines),
          pace: paces.script,
          reloads: isAtWork ? paces.reload : null,
        },
      };
    },
    ['percent', 'check', 'invited', ...counted],
  );
}

const nothingFound = { withoutPassword: 0, notTaken: [] as readonly string[], refusedLines: [] as Facts[] };

/** What a check has found so far. */
const checkIn = ({ check }: Facts): typeof nothingFound & Facts => ({
  ...nothingFound,
  ...(check as Facts | null),
});

/** The first lines that were refused, as a section of the page; null where none was. */
function refusedIn({ operation }: OperationVisit, lines: readonly Facts[]) {
  if (lines.length === 0) return null;
  const schema = operation.output.properties?.check?.properties?.refusedLines?.items;
  return { title: labelOf('refusedLines'), href: null, table: tableOf(lines, schema ?? {}), entries: [] };
}

function noteOf({ phase, format, hasHashParameters }: Facts): string {
  const isWanting = format === 'firebase' && hasHashParameters !== true;
  if (isWanting && (phase === 'receiving' || phase === 'checked')) return say('import.firebase');
  return sayIfKnown(`import.${String(phase)}`) ?? say('import.told');
}

/** What came of its lines so far; of none where none was looked at. */
function countsIn(facts: unknown): Readonly<Record<string, number>> {
  const known = (facts ?? {}) as Readonly<Record<string, number>>;
  return Object.fromEntries(counted.map((name) => [name, known[name] ?? 0]));
}
