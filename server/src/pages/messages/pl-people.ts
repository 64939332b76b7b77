import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words about invitations, and what people do for themselves. */
export const people: Translated<Pick<Messages, 'account' | 'invitation'>> = {
  account: {
    title: 'Twoje konto',
    signInText: 'Drugie składniki, klucze dostępu i kody odzyskiwania',
    signOut: 'Wyloguj się tutaj',
    sessions: {
      title: 'Gdzie trwa Twoje logowanie',
      count: (count: number) => (count === 1 ? 'Tylko tutaj' : `Liczba miejsc: ${count}`),
      lead: 'Każde z nich to przeglądarka, w której trwa logowanie. Zakończenie go kończy też to, co przez nie otrzymały aplikacje.',
      unknown: 'Przeglądarka',
      here: 'To ta, której teraz używasz.',
      seen: (time: string) => `Ostatnio użyto ${time}`,
      began: (time: string) => `Zalogowano ${time}`,
      from: (address: Child) => phrase`Z adresu sieciowego ${address}`,
      end: 'Wyloguj tam',
      endOthers: 'Wyloguj wszędzie indziej',
      done: { ended: 'Wylogowano tam.' },
    },
  },
  invitation: {
    title: 'Zaproszenie',
    heading: 'Masz zaproszenie',
    joinHeading: 'Utwórz konto',
    lead: 'Zapraszamy do udziału.',
    leadOrganisation: (organisation: Child) => phrase`${organisation} zaprasza Cię.`,
    leadClient: (client: Child) => phrase`Masz zaproszenie do używania ${client}.`,
    leadBoth: (organisation: Child, client: Child) =>
      phrase`${organisation} zaprasza Cię do używania ${client}.`,
    offers: 'Co otrzymujesz',
    email: 'Twój adres e-mail',
    join: 'Utwórz konto',
    known: (account: Child) =>
      phrase`Dla ${account} istnieje już konto. Zaloguj się na nie, a potem wybierz, co przyjmujesz.`,
    signIn: 'Zaloguj się',
    choose: 'Co przyjmujesz',
    accept: 'Przyjmij',
    decline: 'Odrzuć',
    otherHeading: 'To zaproszenie jest dla kogoś innego',
    other: (account: Child, invited: Child) =>
      phrase`Zalogowano jako ${account}. Zaproszenie jest dla ${invited}.`,
    switch: 'Wyloguj się i przejdź dalej',
    expiredHeading: 'To zaproszenie wygasło',
    expired: 'Można je było przyjąć przez siedem dni. Nic nie zostało zmienione.',
    askThem: 'Poproś osobę, która Cię zaprosiła, o ponowne wysłanie.',
    acceptedTitle: 'Dziękujemy za odpowiedź',
    accepted: 'Aby przejść dalej, otwórz aplikację, której chcesz użyć, i zaloguj się w niej.',
    acceptedFor: (client: Child) => phrase`Możesz już używać ${client}.`,
    goOn: (client: Child) => phrase`Przejdź do ${client}`,
    secure: 'Skonfiguruj klucz dostępu lub drugi składnik',
  },
}
