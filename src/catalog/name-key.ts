/**
 * Encodes a name so that bytes sort as JavaScript compares texts, by UTF-16 code units: CESU-8. It equals UTF-8 except
 * beyond U+FFFF, where two surrogates of three bytes each sort before U+E000.
 */
export function nameKeyOf(name: string): Buffer {
  if (!/[\ud800-\udfff]/.test(name)) return Buffer.from(name);
  const parts: Buffer[] = [];
  for (const part of name.split(/([\ud800-\udfff])/)) {
    const unit = part.charCodeAt(0);
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
    parts.push(
      isSurrogate
        ? Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)])
        : Buffer.from(part),
    );
  }
  return Buffer.concat(parts);
}
