import { path } from './issuer.ts'

/** Another installation may lie below another path of this origin. */
const key = `tessera-console-profile${path}`

/** The tab's own; a new tab begins with the last one of all. */
export const profile = {
  read: () => sessionStorage.getItem(key) ?? localStorage.getItem(key),
  keep: (uuid: string) => {
    sessionStorage.setItem(key, uuid)
    localStorage.setItem(key, uuid)
  },
  forget: () => {
    sessionStorage.removeItem(key)
    localStorage.removeItem(key)
  },
}

/** What every request asks for, with a page or without. */
export const wanted = (): Record<string, string> => {
  const uuid = profile.read()
  return uuid === null ? {} : { profile_uuid: uuid }
}
