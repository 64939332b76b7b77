/** Control characters except newline and tab, and characters that change the direction of text. */
const instructions = /[^\P{Cc}\n\t]|[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{2028}\u{2029}]/gu

/** A text without what a terminal takes for instructions: that is escaped as in JSON, so that JSON stays valid. */
export const plain = (text: string): string => text.replaceAll(instructions, escaped)

/** Plain text for a part of a line: without line breaks and tabs. */
export const plainWord = (text: string): string => plain(text).replaceAll(/[\n\t]/g, ' ')

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
