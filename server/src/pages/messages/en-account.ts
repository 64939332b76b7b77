import type { Child } from 'hono/jsx'
import { phrase } from './phrase.ts'

/** The words about what people do for themselves. */
export const account = {
  title: 'Your account',
  signInText: 'Second factors, passkeys and recovery codes',
  signOut: 'Sign out here',
  sessions: {
    title: 'Where you are signed in',
    count: (count: number) => (count === 1 ? 'Only here' : `In ${count} places`),
    lead: 'Each is a browser in which you signed in. Ending it also ends what applications got through it.',
    unknown: 'A browser',
    here: 'This is the one you are using now.',
    seen: (time: string) => `Last used on ${time}`,
    began: (time: string) => `Signed in on ${time}`,
    from: (address: Child) => phrase`From the network address ${address}`,
    end: 'Sign out there',
    endOthers: 'Sign out everywhere else',
    done: { ended: 'You are signed out there.' },
  },
}
