import { readFileSync } from 'node:fs'

/** A file of `server/assets`, which is two folders up from the sources, from what tsc makes of them and from the bundle. */
export const asset = (name: string): string =>
  readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8')
