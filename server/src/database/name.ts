import { resolve } from 'node:path'
import { partsOf } from './postgres-hosts.ts'

/** Which database an address leads to, for people to read: without the password, and without what may hold one. */
export function databaseName(url: string): string {
  if (url === 'sqlite::memory:') return url
  if (url.startsWith('sqlite:')) return `sqlite:${resolve(url.slice('sqlite:'.length))}`
  const { scheme, authority, path, query } = partsOf(url)
  // A password that is not encoded may end the authority anywhere.
  if (`${path}${query}`.includes('@')) return `${scheme}…`
  const at = authority.lastIndexOf('@')
  const [user = ''] = authority.slice(0, Math.max(at, 0)).split(':')
  const place = ['host', 'port'].flatMap((name) => {
    const value = new URLSearchParams(query).get(name)
    return value === null ? [] : [`${name}=${value}`]
  })
  const hosts = authority.slice(at + 1)
  return `${scheme}${user === '' ? '' : `${user}@`}${hosts}${path}${place.length === 0 ? '' : `?${place.join('&')}`}`
}
