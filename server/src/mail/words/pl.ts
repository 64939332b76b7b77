import type { MailText, MailWords, NoticeEvent, Told } from '../kinds.ts'
import { shownTime, unitsOf } from './times.ts'

const language = 'pl'
const minutes = (count: number) => unitsOf(language, count, 'minute')
const hours = (count: number) => unitsOf(language, count, 'hour')
const days = (count: number) => unitsOf(language, count, 'day')

const once = (until: string) => `Link działa tylko raz, przez ${until}.`
const ignore = 'Jeśli to nie Ty, nie musisz nic robić: bez tego linku nic się nie zmieni.'

const events: Record<NoticeEvent, (told: Told) => string> = {
  new_device: () =>
    'Ktoś zalogował się na Twoje konto w przeglądarce, która nie była do tego wcześniej używana.',
  password_changed: ({ byAdministrator }) =>
    byAdministrator ? 'Administracja nadała Twojemu kontu inne hasło.' : 'Twoje hasło zostało zmienione.',
  factor_created: ({ name }) => `Dla Twojego konta skonfigurowano drugi składnik: „${name}”.`,
  factor_removed: ({ name, byAdministrator }) =>
    byAdministrator
      ? `Administracja usunęła drugi składnik Twojego konta: „${name}”.`
      : `Usunięto drugi składnik Twojego konta: „${name}”.`,
  factor_suspended: ({ name }) =>
    `Zawieszono drugi składnik Twojego konta: „${name}”. Było zbyt wiele błędnych kodów albo istnieje jego kopia.`,
  recovery_codes_created: () =>
    'Dla Twojego konta utworzono nowe kody odzyskiwania. Poprzednie już się nie liczą.',
  recovery_code_used: () => 'Użyto kodu odzyskiwania Twojego konta.',
  second_factor_failed: () =>
    'Ktoś podał Twoje hasło, a potem kilka razy błędny kod. Ta osoba zna Twoje hasło: zmień je.',
  address_requested: ({ name }) =>
    `Ktoś poprosił, aby Twoje konto dostało adres ${name}. Jeszcze się nie zmienił.`,
  address_changed: ({ name }) => `Adres Twojego konta to teraz ${name}.`,
  deletion_requested: () => 'Na Twoją prośbę konto zostanie usunięte. Jest wyłączone i zniknie po 14 dniach.',
  deletion_undone: () => 'Twoje konto nie zostanie usunięte: cofnięto to. Działa jak wcześniej.',
}

const headings: Record<NoticeEvent, string> = {
  new_device: 'Nowe logowanie na Twoje konto',
  password_changed: 'Twoje hasło zostało zmienione',
  factor_created: 'Skonfigurowano drugi składnik',
  factor_removed: 'Usunięto drugi składnik',
  factor_suspended: 'Zawieszono drugi składnik',
  recovery_codes_created: 'Masz nowe kody odzyskiwania',
  recovery_code_used: 'Użyto kodu odzyskiwania',
  second_factor_failed: 'Ktoś może znać Twoje hasło',
  address_requested: 'Twój adres ma się zmienić',
  address_changed: 'Twój adres został zmieniony',
  deletion_requested: 'Twoje konto zostanie usunięte',
  deletion_undone: 'Twoje konto zostaje',
}

const facts = (told: Told) => [
  ['Kiedy', shownTime(language, told)] as const,
  ...(told.browser === undefined ? [] : [['Przeglądarka', told.browser] as const]),
  ...(told.address === undefined ? [] : [['Adres sieciowy', told.address] as const]),
  ...(told.application === undefined ? [] : [['Aplikacja', told.application] as const]),
]

const notMe = (count: number): Pick<MailText, 'button' | 'after'> => ({
  button: 'To nie ja',
  after: [
    `Jeśli to Ty, nie musisz nic robić. Jeśli nie, naciśnij przycisk w ciągu ${days(count)}: to cofnie zmianę, wyloguje Cię wszędzie i unieważni Twoje hasło, a Ty ustawisz nowe.`,
  ],
})

/** The words of mails. */
export const pl: MailWords = {
  greeting: (name) => `Dzień dobry, ${name},`,
  address: 'Jeśli przycisk nie działa, otwórz ten adres:',
  footer: (issuer) => `Tę wiadomość wysłał ${issuer}.`,

  test: ({ at }, service) => ({
    subject: `${service}: próba`,
    heading: 'Wiadomości docierają',
    before: ['Osoba prowadząca tę usługę chciała sprawdzić, czy wiadomości docierają. Docierają.'],
    facts: [['Kiedy', shownTime(language, { at, zone: 'UTC' })]],
  }),
  password_reset: (data) => ({
    subject: 'Ustaw nowe hasło',
    heading: 'Ustaw nowe hasło',
    before: ['Ktoś poprosił o nowe hasło do Twojego konta.'],
    button: 'Ustaw nowe hasło',
    after: [once(minutes(data.minutes)), ignore],
  }),
  recovery: (data) => ({
    subject: 'Droga powrotu na Twoje konto',
    heading: 'Droga powrotu na Twoje konto',
    before: ['Administracja pozwala Ci ustawić nowe hasło.'],
    button: 'Ustaw nowe hasło',
    after: [once(minutes(data.minutes))],
  }),
  invitation: ({ inviter, to, days: count }) => ({
    subject: `Masz zaproszenie: ${to}`,
    heading: `Masz zaproszenie: ${to}`,
    before: [`Zaprasza Cię ${inviter}.`],
    button: 'Przyjmij zaproszenie',
    after: [once(days(count)), 'Jeśli nie spodziewasz się zaproszenia, nie musisz nic robić.'],
  }),
  enrolment_code: ({ code, minutes: count }) => ({
    subject: 'Twój kod',
    heading: 'Twój kod',
    before: ['Wpisz ten kod w przeglądarce, w której konfigurujesz drugi składnik.'],
    code,
    after: [
      `Jest ważny przez ${minutes(count)}, tylko w tej przeglądarce.`,
      'Jeśli w tej chwili się nie logujesz, ktoś zna Twoje hasło: zmień je. Nie podawaj kodu nikomu.',
    ],
  }),
  address_confirmation: ({ hours: count }) => ({
    subject: 'Potwierdź swój adres',
    heading: 'Potwierdź swój adres',
    before: ['Ktoś chce, aby to był adres jego konta.'],
    button: 'Potwierdź adres',
    after: [once(hours(count)), ignore],
  }),
  address_taken: () => ({
    subject: 'Ktoś chciał użyć Twojego adresu',
    heading: 'Ktoś chciał użyć Twojego adresu',
    before: [
      'Ktoś chciał, aby to był adres jego konta. To adres Twojego, więc nic się nie zmieniło.',
      'Jeśli to Ty, zaloguj się na konto, które już masz.',
    ],
  }),
  notice: ({ days: count, ...told }) => ({
    subject: headings[told.event],
    heading: headings[told.event],
    before: [events[told.event](told)],
    facts: facts(told),
    ...(count === undefined ? {} : notMe(count)),
  }),
  notices: ({ told, days: count }) => ({
    subject: 'Na Twoim koncie wydarzyło się więcej',
    heading: 'Na Twoim koncie wydarzyło się więcej',
    before: ['W ciągu jednego dnia wydarzyło się dużo, dlatego jest to w jednej wiadomości.'],
    facts: told.map((one) => [shownTime(language, one), events[one.event](one)] as const),
    button: 'To nie ja',
    after: [
      `Jeśli to Ty, nie musisz nic robić. Jeśli nie, naciśnij przycisk w ciągu ${days(count)}: to cofnie każdą z tych zmian, wyloguje Cię wszędzie i unieważni Twoje hasło, a Ty ustawisz nowe. Potem sprawdź swoje drugie składniki.`,
    ],
  }),
}
