import { ProtocolError } from '../protocol/errors.ts'

/** The versions that If-Match lets a change be made to; undefined: all of them. */
export type KnownVersions = readonly number[] | undefined

/** Weak: what is shown of a resource may differ by what was asked for (RFC 7644 §3.14). */
export const versionTag = (version: number): string => `W/"${version}"`

/** The versions that a condition names. */
export function versionsIn(header: string | undefined): KnownVersions {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').flatMap((tag) => {
    const version = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(tag)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
}

/** Throws `precondition_failed` for a resource in another version. */
export function inVersion({ version }: { version: number }, versions: KnownVersions): void {
  if (versions?.includes(version) === false)
    throw new ProtocolError('precondition_failed', 'It was changed since that version.')
}
