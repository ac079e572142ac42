// Tells and moves the clock.
import { isoTime } from '../../../core/access/iso-time.ts';
import { readDuration } from '../../../core/rehearsal/duration.ts';
import { flag, type Schema, someOf, text, time } from '../../../operations/json-schema.ts';
import { protocolError } from '../../answers.ts';
import { type Deed, deed } from '../deeds.ts';
import type { RoomClock } from './clock.ts';

const duration: Schema<string | number> = {
  ...text('How far it goes on: 15m, 90d, 1h30m, or seconds', '15m'),
  type: ['string', 'number'],
};

/** What a move of the clock needs to know of the service. */
interface ClockDeeds {
  readonly clock: RoomClock;
  /** @throws DeedRefused unless the service has none but development tenants */
  readonly requireAlone: (what: string) => void;
  readonly forget: () => void;
  /** Does what comes due in the background while so many ms pass. */
  readonly catchUp: (passed: number) => Promise<void>;
}

/** GET and POST /rehearsal/clock. */
export function clockDeeds({ clock, requireAlone, catchUp, forget }: ClockDeeds): readonly Deed[] {
  const answer = () => {
    const { now, frozen, ahead } = clock.told();
    return { now: isoTime(now), frozen, ahead: ahead / 1_000 };
  };
  return [
    deed({ method: 'GET', path: '/clock', fields: someOf('Nothing', {}), run: answer }),
    deed({
      method: 'POST',
      path: '/clock',
      fields: someOf('What becomes of the clock, in this order', {
        reset: flag('Whether it goes back to the real time'),
        advance: duration,
        to: time('The time that it goes on to'),
        freeze: flag('Whether it stands from then on'),
      }),
      async run({ advance, to, ...move }) {
        requireAlone('the clock');
        const by = advance === undefined ? 0 : readDuration(advance);
        if (by === null) {
          throw protocolError(
            'invalid_request',
            'advance must be like 15m, 90d or 1h30m, or a number of seconds',
          );
        }
        const passed = clock.move({
          ...move,
          advance: by,
          ...(to === undefined ? {} : { to: Date.parse(to) }),
        });
        await catchUp(passed);
        // What was remembered ahead of the real time would be so for long.
        if (move.reset === true) forget();
        return answer();
      },
    }),
  ];
}
