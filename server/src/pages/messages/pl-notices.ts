import type { notices as en } from './en-notices.ts'

export const notices: typeof en = {
  notMe: {
    title: 'To nie ja',
    heading: 'To nie Ty?',
    lead: 'W takim razie na Twoim koncie był ktoś inny. Naciśnij przycisk, a od razu stanie się to:',
    undone: {
      address_requested:
        'Inny adres przestanie się liczyć; jeśli już obowiązuje, Twoim adresem znów będzie ten, na który przyszła ta wiadomość.',
      address_changed:
        'Twoim adresem znów będzie ten, na który przyszła ta wiadomość, a drugie składniki znów będą takie jak przedtem.',
      factor_created: 'Skonfigurowany drugi składnik zostanie usunięty.',
      factor_removed: 'Usunięty drugi składnik wróci.',
      recovery_codes_created: 'Nowe kody odzyskiwania przestaną się liczyć.',
      deletion_requested: 'Twoje konto nie zostanie usunięte i znów działa.',
      link_created: 'Połączony sposób logowania zostanie usunięty, a to, co z niego wynikało, zakończy się.',
    },
    undoneEach: {
      factor_created: 'Skonfigurowane drugie składniki zostaną usunięte.',
      factor_removed: 'Usunięte drugie składniki wrócą.',
    },
    later: 'Cofnięte zostaną także inne późniejsze zmiany adresu i drugich składników.',
    stands:
      'To, co od tego czasu ustawił administrator lub Ty za pomocą linku z e-maila, pozostaje bez zmian.',
    signsOut: 'Nastąpi wylogowanie wszędzie, w każdej przeglądarce i aplikacji.',
    voids: 'Twoje hasło straci ważność, aby nikt się nim nie zalogował. Potem ustawisz nowe.',
    submit: 'To nie ja',
    wasMe: 'Jeśli to Ty, zamknij tę stronę. Nic się nie zmieniło.',
    doneHeading: 'Twoje konto jest na razie bezpieczne',
    done: 'Nikt nie jest już na nim zalogowany, a hasło jest nieważne. Ustaw nowe: przy logowaniu wybierz, że go nie pamiętasz, albo zapytaj osoby prowadzące tę usługę. Potem sprawdź swoje drugie składniki.',
    endedHeading: 'Tego linku nie można już użyć',
    ended:
      'Został użyty albo ma więcej niż siedem dni. Jeśli na Twoim koncie jest ktoś inny, ustaw nowe hasło i zapytaj osoby prowadzące tę usługę.',
    account: 'Do Twojego konta',
  },
}
