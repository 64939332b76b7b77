import { path } from './issuer.ts'

/** What the tabs of a browser tell one another. */
type Told = 'signed in' | 'signed out'

const others = new BroadcastChannel(`tessera-console${path}`)

export const tellOthers = (what: Told) => others.postMessage(what)

export const whenTold = (what: Told, then: () => void) =>
  others.addEventListener('message', ({ data }) => {
    if (data === what) then()
  })

let count = 0
whenTold('signed in', () => count++)
/** How many were told by other tabs. */
export const signIns = () => count

/** Another tab tells it; and the person may have done it before they come back to this one. */
export const signedInElsewhere = () =>
  new Promise<void>((resolve) => {
    const heard = () => {
      others.removeEventListener('message', heard)
      removeEventListener('focus', heard)
      resolve()
    }
    others.addEventListener('message', heard)
    addEventListener('focus', heard)
  })
