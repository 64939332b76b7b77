import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const pl: MailWords = {
  language: 'pl',
  greeting: (name) => `Dzień dobry, ${name},`,
  address: 'Jeśli przycisk nie działa, otwórz ten adres:',
  footer: (issuer) => `Tę wiadomość wysłał ${issuer}.`,
  once: (until) => `Link działa tylko raz, przez ${until}.`,
  ignore: 'Jeśli to nie Ty, nie musisz nic robić: bez tego linku nic się nie zmieni.',
  facts: { when: 'Kiedy', browser: 'Przeglądarka', address: 'Adres sieciowy', application: 'Aplikacja' },
  notMe: 'To nie ja',
  undo: (until) =>
    `Jeśli to Ty, nie musisz nic robić. Jeśli nie, naciśnij przycisk w ciągu ${until}: to cofnie zmianę, wyloguje Cię wszędzie i unieważni Twoje hasło, a Ty ustawisz nowe.`,
  undoEach: (until) =>
    `Jeśli to Ty, nie musisz nic robić. Jeśli nie, naciśnij przycisk w ciągu ${until}: to cofnie każdą z tych zmian, wyloguje Cię wszędzie i unieważni Twoje hasło, a Ty ustawisz nowe. Potem sprawdź swoje drugie składniki.`,

  test: {
    subject: (service) => `${service}: próba`,
    heading: 'Wiadomości docierają',
    before: 'Osoba prowadząca tę usługę chciała sprawdzić, czy wiadomości docierają. Docierają.',
  },
  password_reset: {
    subject: 'Ustaw nowe hasło',
    before: 'Ktoś poprosił o nowe hasło do Twojego konta.',
    button: 'Ustaw nowe hasło',
  },
  recovery: {
    subject: 'Droga powrotu na Twoje konto',
    before: 'Administracja pozwala Ci ustawić nowe hasło.',
    button: 'Ustaw nowe hasło',
  },
  invitation: {
    subject: (to) => `Masz zaproszenie: ${to}`,
    before: (inviter) => `Zaprasza Cię ${inviter}.`,
    button: 'Przyjmij zaproszenie',
    unexpected: 'Jeśli nie spodziewasz się zaproszenia, nie musisz nic robić.',
  },
  enrolment_code: {
    subject: 'Twój kod',
    before: 'Wpisz ten kod w przeglądarce, w której konfigurujesz drugi składnik.',
    counts: (until) => `Jest ważny przez ${until}, tylko w tej przeglądarce.`,
    alarm: 'Jeśli w tej chwili się nie logujesz, ktoś zna Twoje hasło: zmień je. Nie podawaj kodu nikomu.',
  },
  guest_code: {
    before: (name) => `Wpisz ten kod w przeglądarce, w której logujesz się przez ${name}.`,
    alarm:
      'Jeśli w tej chwili się nie logujesz, ktoś podał Twój adres: nie musisz nic robić. Nie podawaj kodu nikomu.',
  },
  address_confirmation: {
    subject: 'Potwierdź swój adres',
    before: 'Ktoś chce, aby to był adres jego konta.',
    button: 'Potwierdź adres',
  },
  address_taken: {
    subject: 'Ktoś chciał użyć Twojego adresu',
    before: [
      'Ktoś chciał, aby to był adres jego konta. To adres Twojego, więc nic się nie zmieniło.',
      'Jeśli to Ty, zaloguj się na konto, które już masz.',
    ],
  },
  notices: {
    subject: 'Na Twoim koncie wydarzyło się więcej',
    before: 'W ciągu jednego dnia wydarzyło się dużo, dlatego jest to w jednej wiadomości.',
  },
  headings: {
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
    link_created: 'Jeszcze jeden sposób logowania na Twoje konto',
    link_removed: 'Usunięto sposób logowania na Twoje konto',
    break_glass_used: 'Użyto dostępu awaryjnego',
    break_glass_changed: 'Zmieniono dostęp awaryjny',
    domain_gained: 'Państwa organizacja ma kolejną domenę',
    domain_lost: 'Państwa organizacja nie ma już domeny',
    sync_stopped: 'Osoby dostawcy nie są już sprawdzane',
    setup_opened: 'Ktoś otworzył Twój link konfiguracji',
    setup_handed_in: 'Konfiguracja została przekazana',
  },
  events: {
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
    deletion_requested: () =>
      'Na Twoją prośbę konto zostanie usunięte. Jest wyłączone i zniknie po 14 dniach.',
    deletion_undone: () => 'Twoje konto nie zostanie usunięte: cofnięto to. Działa jak wcześniej.',
    link_created: ({ name }) =>
      `Twoje konto jest teraz połączone z ${name}: kto się tam loguje, może zalogować się na Twoje konto.`,
    link_removed: ({ name }) =>
      `Twoje konto nie jest już połączone z ${name}: nikt nie zaloguje się na nie tą drogą.`,
    break_glass_used: ({ name }) =>
      `Konto ${name} zostało użyte bez dostawcy logowania organizacji, przez dostęp awaryjny na wypadek jego awarii. Dostajesz tę wiadomość, bo administrujesz organizacją lub instalacją. Jeśli takie logowanie jest niespodziewane, zapytaj o nie i wyłącz konto.`,
    break_glass_changed: ({ name }) =>
      `Zmieniono, kto może wejść, gdy dostawca logowania organizacji nie działa. Teraz są to: ${name}.`,
    domain_gained: ({ name }) =>
      `Domena ${name} przeszła z innej organizacji do Państwa: jej rekord DNS wskazuje teraz Państwa organizację. Kto loguje się adresem z tej domeny, trafia do Państwa dostawcy.`,
    domain_lost: ({ name }) =>
      `Domena ${name} należy odtąd do innej organizacji: jej rekord DNS wskazuje tamtą, a Państwa rekordu już nie ma. Osoby połączone pozostają połączone, a nowe nie są dodawane. Jeśli tak nie miało być, proszę zapytać osobę, która prowadzi DNS tej domeny.`,
    sync_stopped: ({ name }) =>
      `Cogodzinne sprawdzanie, kto opuścił ${name}, zostało zatrzymane: nie powiodło się albo brakuje o wiele więcej osób niż zwykle. Nikt nie został przez to wyłączony, a kto odchodzi, nie zostanie, dopóki się nie uda. Dostawca mówi, co jest nie tak: tessera attention lub konsola.`,
    setup_opened: ({ name }) =>
      `Ktoś zaczął od linku konfiguracji, który został utworzony przez Ciebie dla ${name}. Od teraz działa tylko w tej przeglądarce. Jeśli to nie ta osoba, wycofaj go.`,
    setup_handed_in: ({ name }) =>
      `Przekazano to, co wprowadzono przez link konfiguracji utworzony przez Ciebie dla ${name}. Nic z tego nie działa, zanim uprawniona osoba tego nie obejrzy i nie potwierdzi: w konsoli lub przez tessera upstream confirm.`,
  },
}
