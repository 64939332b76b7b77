/** What the service was set to, as administrators may see it: no secret, and no password of an address. */
import { databaseName } from './database/name.ts'
import { mailServerOf } from './protocol/mail-server.ts'
import { settingsSchema } from './settings-schema.ts'

export interface ShownSetting {
  name: string
  description: string
  /** What holds; null: nothing, or it is never shown. */
  value: string | null
  /** What holds where it is not set; null: nothing. */
  standard: string | null
  /** The environment says it. */
  set: boolean
  /** The value is never shown. */
  secret: boolean
}

type Name = keyof typeof settingsSchema.shape

const never: readonly string[] = ['TESSERA_SECRET', 'TESSERA_SECRET_PREVIOUS'] satisfies Name[]

/** What is shown in place of addresses that hold a password. */
const shortened: Readonly<Record<string, ((url: string) => string) | undefined>> = {
  TESSERA_DATABASE_URL: databaseName,
  TESSERA_DOCS_URL: (url) => {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`.replace(/\/+$/, '')
  },
  TESSERA_MAIL_URL: (url) => {
    const { host, port, secure } = mailServerOf(url)
    return `${secure ? 'smtps' : 'smtp'}://${host}:${port}`
  },
} satisfies { [N in Name]?: (url: string) => string }

/** The default of a setting as it is written; empty: there is none. */
export function standardOf(name: Name): string {
  const standard = settingsSchema.shape[name].safeParse(undefined)
  return standard.success ? String(standard.data ?? '') : ''
}

/** Every setting, in the order of docs/configuration.md. `given` has what the environment and its files say, checked. */
export function shownSettings(given: Readonly<Record<string, string | undefined>>): ShownSetting[] {
  return (Object.keys(settingsSchema.shape) as Name[]).map((name) => {
    const said = given[name]
    const standard = standardOf(name) || null
    const secret = never.includes(name)
    const shown = said === undefined ? standard : (shortened[name]?.(said) ?? said)
    const description = settingsSchema.shape[name].description ?? ''
    return { name, description, value: secret ? null : shown, standard, set: said !== undefined, secret }
  })
}
