/** `#rrggbb`. */
export const isColour = (text: string | null): text is string => /^#[0-9a-f]{6}$/i.test(text ?? '')

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastOf(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [one, other].map(luminance).sort((a, b) => b - a)
  return (brighter + 0.05) / (darker + 0.05)
}

/** A build may write `#ffffff` as `#fff`. */
function luminance(written: string): number {
  const colour = written.length === 4 ? written.replaceAll(/[0-9a-f]/gi, '$&$&') : written
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
