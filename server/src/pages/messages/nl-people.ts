import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words about invitations, and what people do for themselves. */
export const people: Translated<Pick<Messages, 'account' | 'invitation'>> = {
  account: {
    title: 'Uw account',
    signInText: 'Tweede factoren, passkeys en herstelcodes',
    signOut: 'Hier afmelden',
    sessions: {
      title: 'Waar u bent aangemeld',
      count: (count: number) => (count === 1 ? 'Alleen hier' : `Op ${count} plaatsen`),
      lead: 'Elk is een browser waarin u zich hebt aangemeld. Als u die beëindigt, eindigt ook wat toepassingen erdoor hebben gekregen.',
      unknown: 'Een browser',
      here: 'Dit is die welke u nu gebruikt.',
      seen: (time: string) => `Laatst gebruikt op ${time}`,
      began: (time: string) => `Aangemeld op ${time}`,
      from: (address: Child) => phrase`Vanaf het netwerkadres ${address}`,
      end: 'Daar afmelden',
      endOthers: 'Overal elders afmelden',
      done: { ended: 'U bent daar afgemeld.' },
    },
  },
  invitation: {
    title: 'Uitnodiging',
    heading: 'U bent uitgenodigd',
    joinHeading: 'Uw account maken',
    lead: 'U bent uitgenodigd om mee te doen.',
    leadOrganisation: (organisation: Child) => phrase`${organisation} nodigt u uit.`,
    leadClient: (client: Child) => phrase`U bent uitgenodigd om ${client} te gebruiken.`,
    leadBoth: (organisation: Child, client: Child) =>
      phrase`${organisation} nodigt u uit om ${client} te gebruiken.`,
    offers: 'Wat u krijgt',
    email: 'Uw e-mailadres',
    join: 'Account maken',
    known: (account: Child) =>
      phrase`Er is al een account voor ${account}. Meld u daar aan en kies dan wat u accepteert.`,
    signIn: 'Aanmelden',
    choose: 'Wat u accepteert',
    accept: 'Accepteren',
    decline: 'Weigeren',
    otherHeading: 'Deze uitnodiging is voor iemand anders',
    other: (account: Child, invited: Child) =>
      phrase`U bent aangemeld als ${account}. De uitnodiging is voor ${invited}.`,
    switch: 'Afmelden en doorgaan',
    expiredHeading: 'Deze uitnodiging is verlopen',
    expired: 'Ze kon zeven dagen lang worden geaccepteerd. Er is niets gewijzigd.',
    askThem: 'Vraag degene die u heeft uitgenodigd om haar opnieuw te sturen.',
    acceptedTitle: 'Dank u voor uw antwoord',
    accepted: 'Open de toepassing die u wilt gebruiken en meld u daar aan om door te gaan.',
    acceptedFor: (client: Child) => phrase`U kunt ${client} nu gebruiken.`,
    goOn: (client: Child) => phrase`Doorgaan naar ${client}`,
    secure: 'Een passkey of tweede factor instellen',
  },
}
