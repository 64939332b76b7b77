import fc from 'fast-check'

/** Any character that can be encoded: half of them control characters, signs and letters that mean something. */
const character = fc
  .oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))

export const anyText = (minLength = 0, maxLength = 40) =>
  fc.array(character, { minLength, maxLength }).map((all) => all.join(''))
