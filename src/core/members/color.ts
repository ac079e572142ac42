// Colours: how bright they are, how far they stand apart, and what is mixed of them.

export const white = '#ffffff';
export const black = '#000000';

/**
 * Dark text on a light button. It is this dark because 1.05 / (L + 0.05) of white and of this multiply to
 * more than 4.5²: whatever the button's colour, one of the two reaches 4.5.
 */
const nearBlack = '#050505';

/** White or near-black, whichever is easier to read on this colour. */
export function textOn(color: string): string {
  return contrast(color, white) >= contrast(color, nearBlack) ? white : nearBlack;
}

/** The colour moved towards another, only as far as it has to. */
export function shift(color: string, towards: string, isEnough: (color: string) => boolean): string {
  for (let percent = 0; percent < 100; percent += 1) {
    const candidate = mix(color, towards, percent / 100);
    if (isEnough(candidate)) return candidate;
  }
  return towards;
}

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

/** A colour written `#rrggbb`, or null. */
export function readColor(text: string): Rgb | null {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (digits === null) return null;
  const [, red = '', green = '', blue = ''] = digits;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

/** Relative luminance: 0 is black, 1 is white (WCAG 2.2, "relative luminance"). */
export function luminance(color: string): number {
  const [red, green, blue] = known(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio, 1 to 21, whichever of the two is the lighter (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** What `color-mix(in srgb, …)` makes of two colours, with this share (0 to 1) of the second. */
export function mix(one: string, other: string, share: number): string {
  const second = known(other);
  const channels = known(one).map((channel, index) =>
    Math.round(channel * (1 - share) + (second[index] ?? 0) * share),
  );
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function known(color: string): Rgb {
  const rgb = readColor(color);
  if (rgb === null) throw new Error(`"${color}" is not a colour`);
  return rgb;
}
