import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  reset: {
    title: 'Ein neues Passwort setzen',
    heading: 'Ein neues Passwort setzen',
    lead: (account) => phrase`für das Konto von ${account}`,
    ends: 'Danach sind Sie hier angemeldet und überall sonst abgemeldet.',
    factorLead: (account) =>
      phrase`Bevor für ${account} ein neues Passwort gesetzt wird, zeigen Sie mit Ihrem zweiten Faktor, dass Sie es sind.`,
    lost: 'Ohne zweiten Faktor und Wiederherstellungscodes wenden Sie sich an die Menschen, die diesen Dienst betreiben.',
    password: 'Neues Passwort',
    again: 'Das neue Passwort noch einmal',
    submit: 'Passwort setzen',
  },
  resetEnded: {
    title: 'Dieser Link gilt nicht mehr',
    heading: 'Dieser Link gilt nicht mehr',
    text: 'Ein Link zum Setzen eines Passworts gilt einmal und nur kurze Zeit, und nur der neueste zählt.',
    ask: 'Bitten Sie die Menschen, die diesen Dienst betreiben, um einen neuen.',
  },
}
