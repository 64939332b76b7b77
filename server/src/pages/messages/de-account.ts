import type { Child } from 'hono/jsx'
import type { account as english } from './en-account.ts'
import { phrase } from './phrase.ts'

export const account: typeof english = {
  title: 'Ihr Konto',
  signInText: 'Zweite Faktoren, Passkeys und Wiederherstellungscodes',
  signOut: 'Hier abmelden',
  sessions: {
    title: 'Wo Sie angemeldet sind',
    count: (count: number) => (count === 1 ? 'Nur hier' : `An ${count} Orten`),
    lead: 'Jeder Eintrag ist ein Browser, in dem Sie sich angemeldet haben. Melden Sie sich dort ab, endet auch, was Anwendungen dadurch erhalten haben.',
    unknown: 'Ein Browser',
    here: 'Diesen verwenden Sie gerade.',
    seen: (time: string) => `Zuletzt verwendet am ${time}`,
    began: (time: string) => `Angemeldet am ${time}`,
    from: (address: Child) => phrase`Von der Netzwerkadresse ${address}`,
    end: 'Dort abmelden',
    endOthers: 'Überall sonst abmelden',
    done: { ended: 'Sie sind dort abgemeldet.' },
  },
}
