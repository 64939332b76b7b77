import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A file of `server/assets`, which is two folders up from the sources, from what tsc makes of them and from the bundle. */
export const asset = (name: string): string =>
  readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8')

/** The address of a file that is served. It changes with the content, so it is cached for ever. */
export function addressOf(name: string, extension: 'css' | 'js', content: string): string {
  const fingerprint = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return `/assets/${name}-${fingerprint}.${extension}`
}
