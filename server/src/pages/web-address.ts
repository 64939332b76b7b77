/** A link is made of http and https only: escaping does not disarm `javascript:`. */
export function webAddress(uri: string | null | undefined): URL | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined
  const url = new URL(uri)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
}
