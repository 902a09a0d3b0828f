type Row = readonly [number, number, number];

/** Maps a colour: red, green and blue (0 to 255) times a matrix, plus an offset. */
export interface ColourMap {
  matrix: readonly [Row, Row, Row];
  offset: Row;
}

/** The weights of red, green and blue in luma. Source: Rec. ITU-R BT.709. */
export const LUMA: Row = [0.2126, 0.7152, 0.0722];

const NO_OFFSET: Row = [0, 0, 0];

/** A map by a matrix alone. */
export function byMatrix(...matrix: readonly [Row, Row, Row]): ColourMap {
  return { matrix, offset: NO_OFFSET };
}

/** A map that treats all three channels alike. */
export function byChannel(factor: number, offset = 0): ColourMap {
  return {
    matrix: [
      [factor, 0, 0],
      [0, factor, 0],
      [0, 0, factor],
    ],
    offset: [offset, offset, offset],
  };
}

/** One map after the other. Nothing is clamped in between. */
export function composeMaps(first: ColourMap, second: ColourMap): ColourMap {
  const [red, green, blue] = first.matrix;
  const row = ([r, g, b]: Row): Row => [
    r * red[0] + g * green[0] + b * blue[0],
    r * red[1] + g * green[1] + b * blue[1],
    r * red[2] + g * green[2] + b * blue[2],
  ];
  const shift = ([r, g, b]: Row) => r * first.offset[0] + g * first.offset[1] + b * first.offset[2];
  const [one, two, three] = second.matrix;
  return {
    matrix: [row(one), row(two), row(three)],
    offset: [shift(one) + second.offset[0], shift(two) + second.offset[1], shift(three) + second.offset[2]],
  };
}

/** Mixes a map with the colours as they were. @param share of the map, 0 to 1 */
export function mixMap({ matrix: [red, green, blue], offset }: ColourMap, share: number): ColourMap {
  const rest = 1 - share;
  return {
    matrix: [
      [red[0] * share + rest, red[1] * share, red[2] * share],
      [green[0] * share, green[1] * share + rest, green[2] * share],
      [blue[0] * share, blue[1] * share, blue[2] * share + rest],
    ],
    offset: [offset[0] * share, offset[1] * share, offset[2] * share],
  };
}
