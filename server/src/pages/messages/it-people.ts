import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words about invitations, and what people do for themselves. */
export const people: Translated<Pick<Messages, 'account' | 'invitation'>> = {
  account: {
    title: 'Il Suo account',
    signInText: 'Secondi fattori, passkey e codici di recupero',
    signOut: 'Esci qui',
    sessions: {
      title: 'Dove ha effettuato l’accesso',
      count: (count: number) => (count === 1 ? 'Solo qui' : `In ${count} posti`),
      lead: 'Ognuno è un browser in cui ha effettuato l’accesso. Terminandolo termina anche ciò che le applicazioni hanno ricevuto tramite esso.',
      unknown: 'Un browser',
      here: 'È quello che sta usando ora.',
      seen: (time: string) => `Usato l’ultima volta il ${time}`,
      began: (time: string) => `Accesso effettuato il ${time}`,
      from: (address: Child) => phrase`Dall’indirizzo di rete ${address}`,
      end: 'Esci lì',
      endOthers: 'Esci da tutti gli altri posti',
      done: { ended: 'L’accesso lì è terminato.' },
    },
  },
  invitation: {
    title: 'Invito',
    heading: 'Ha ricevuto un invito',
    joinHeading: 'Creare il Suo account',
    lead: 'È invitato a partecipare.',
    leadOrganisation: (organisation: Child) => phrase`${organisation} La invita.`,
    leadClient: (client: Child) => phrase`È invitato a usare ${client}.`,
    leadBoth: (organisation: Child, client: Child) => phrase`${organisation} La invita a usare ${client}.`,
    offers: 'Che cosa riceve',
    email: 'Il Suo indirizzo e-mail',
    join: 'Crea account',
    known: (account: Child) =>
      phrase`Esiste già un account per ${account}. Vi acceda, poi scelga che cosa accetta.`,
    signIn: 'Accedi',
    choose: 'Che cosa accetta',
    accept: 'Accetta',
    decline: 'Rifiuta',
    otherHeading: 'Questo invito è per un’altra persona',
    other: (account: Child, invited: Child) =>
      phrase`Ha effettuato l’accesso come ${account}. L’invito è per ${invited}.`,
    switch: 'Esci e continua',
    expiredHeading: 'Questo invito è scaduto',
    expired: 'Poteva essere accettato per sette giorni. Non è stato modificato nulla.',
    askThem: 'Chieda a chi L’ha invitata di inviarlo di nuovo.',
    acceptedTitle: 'Grazie per la Sua risposta',
    accepted: 'Per continuare, apra l’applicazione che vuole usare e vi acceda.',
    acceptedFor: (client: Child) => phrase`Ora può usare ${client}.`,
    goOn: (client: Child) => phrase`Continua su ${client}`,
    secure: 'Configura una passkey o un secondo fattore',
  },
}
