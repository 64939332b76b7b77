import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: Translated<typeof english> = {
  upstream: {
    continue: 'Kontynuuj przez swoją organizację',
    continueWith: (name) => `Kontynuuj przez ${name}`,
    noOrganisation:
      'Żadna organizacja nie loguje tu osób z tej domeny. Sprawdź adres albo zaloguj się hasłem.',
    usual: 'Osoby z adresem w tej domenie logują się przez swoją organizację.',
    noTime:
      'Dostawca logowania Twojej organizacji nie podaje, kiedy odbyło się logowanie, a ta aplikacja o to pyta. Zaloguj się tutaj.',
    beyond: 'W tej aplikacji potwierdź, że to Ty, własnym hasłem lub kluczem dostępu.',
    chooseTitle: 'Jak chcesz się zalogować?',
    chooseText: 'Twoja organizacja ma kilka sposobów logowania.',
    requiredTitle: (name) => `Zaloguj się przez ${name}`,
    requiredText: (organisation) =>
      phrase`${organisation} wymaga od swoich osób logowania przez dostawcę logowania organizacji.`,
    failedTitle: (name) => `Logowanie przez ${name} nie powiodło się`,
    back: 'Wróć do logowania',
    failed: {
      unreachable:
        'Dostawca logowania nie odpowiada. Spróbuj ponownie za kilka minut albo powiadom osoby, które go prowadzą.',
      setup:
        'Jego odpowiedzi nie można użyć: coś między nim a tą usługą jest źle skonfigurowane. Powiadom swoich administratorów; numer poniżej pomoże im znaleźć przyczynę.',
      denied: 'Logowanie zostało tam przerwane lub odrzucone.',
      over: 'Logowanie trwało zbyt długo, zostało już użyte albo zaczęło się w innej przeglądarce. Zacznij od nowa.',
      too_old:
        'Potrzebne było nowe logowanie, a odpowiedź dotyczyła starszego. Wyloguj się tam i spróbuj ponownie.',
      inactive: 'Ten sposób logowania jest tu obecnie wyłączony. Zapytaj swoich administratorów.',
      unknown_person:
        'Tam Cię znają, ale tutaj nie masz jeszcze konta. Poproś swoich administratorów o zaproszenie.',
      no_address:
        'Dostawca logowania nie podaje Twojego adresu e-mail. Poproś swoich administratorów, aby to umożliwili.',
      outside_domains:
        'Twój adres należy do domeny, za którą ten dostawca logowania nie może ręczyć. Zapytaj swoich administratorów.',
      conflict:
        'Konto z Twoim adresem jest tam powiązane z innym logowaniem. Poproś swoich administratorów o sprawdzenie powiązania.',
      disabled: 'Twoje konto jest wyłączone. Zapytaj swoich administratorów.',
    },
    ldapText: (name) => phrase`Wpisz nazwę i hasło, których używasz w ${name}.`,
    name: 'Nazwa użytkownika lub adres e-mail',
    password: 'Hasło',
    submit: 'Zaloguj się',
    wrongCredentials: 'Nazwa i hasło do siebie nie pasują. Sprawdź jedno i drugie i spróbuj ponownie.',
    throttled: 'Było zbyt wiele błędnych haseł. Spróbuj ponownie za kwadrans.',
    missing: 'Wpisz swoją nazwę i hasło.',
    guestTitle: 'Potwierdź swój adres',
    guestText: (email, name) =>
      phrase`${name} loguje Cię, ale nie odpowiada za domenę adresu ${email}. Pokaż, że ten adres należy do Ciebie.`,
    linkTitle: 'Połączyć oba sposoby logowania?',
    linkText: (email, name) =>
      phrase`Konto z adresem ${email} już istnieje. Odtąd można by logować się do niego także przez ${name}.`,
    linkAs: (subject, name) => phrase`Twoja nazwa w ${name} to ${subject}.`,
    link: 'Połącz',
    notNow: 'Nie teraz',
  },
}
