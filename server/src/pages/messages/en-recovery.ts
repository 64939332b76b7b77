import type { Child } from 'hono/jsx'
import { phrase } from './phrase.ts'

/** The words of a password that is set anew. */
export const recovery = {
  reset: {
    title: 'Set a new password',
    heading: 'Set a new password',
    lead: (account: Child) => phrase`for the account of ${account}`,
    ends: 'You are then signed in here, and signed out everywhere else.',
    factorLead: (account: Child) =>
      phrase`Before a new password is set for ${account}, show by your second factor that it is you.`,
    lost: 'Without your second factor and its recovery codes, ask the people who run this service.',
    password: 'New password',
    again: 'The new password again',
    submit: 'Set the password',
  },
  resetEnded: {
    title: 'This link has ended',
    heading: 'This link has ended',
    text: 'A link to set a password is good once and for a short time, and only the newest one counts.',
    ask: 'Ask the people who run this service for another one.',
  },
}
