import { phrase } from './phrase.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: typeof english = {
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
      needed:
        'Tylko Ty masz dostęp, gdy to nie działa. Poproś administratorów, aby najpierw wskazali kogoś innego.',
      other_person: 'Tam zalogowano się jako inna osoba niż tutaj. Wyloguj się tam i spróbuj ponownie.',
      untimed:
        'Nie podaje czasu logowania, więc nie może go potwierdzić na nowo. Ustaw własne hasło: wyloguj się tutaj, a przy logowaniu wybierz, że go nie pamiętasz.',
      taken:
        'To logowanie należy tutaj do innego konta albo Twoje konto należy tam do innego logowania. Niczego nie połączono.',
    },
    ldapText: (name) => phrase`Wpisz nazwę i hasło, których używasz w ${name}.`,
    name: 'Nazwa użytkownika lub adres e-mail',
    password: 'Hasło',
    submit: 'Zaloguj się',
    wrongCredentials: 'Nazwa i hasło do siebie nie pasują. Sprawdź jedno i drugie i spróbuj ponownie.',
    throttled: 'Było zbyt wiele błędnych haseł. Spróbuj ponownie za kwadrans.',
    missing: 'Wpisz swoją nazwę i hasło.',
    provedTitle: 'Potwierdzono',
    provedText: 'Potwierdzenie jest ważne dziesięć minut. Możesz teraz dokończyć to, co zaczynasz.',
    linksTitle: 'Logowanie przez organizacje',
    linkedSince: (date) => `Połączono ${date}`,
    lastWay: 'To Twój jedyny sposób logowania. Zanim go usuniesz, ustaw własne hasło lub klucz dostępu.',
    connectWith: (name) => `Połącz z ${name}`,
    connectHere: (who) => phrase`Tutaj jesteś ${who}.`,
    connectKnown: (who, name) => phrase`${name} nazywa Cię ${who}.`,
    connectText: (name) =>
      phrase`Odtąd osoba, która się tam tak loguje, może zalogować się na Twoje konto przez ${name}.`,
    connectBreakGlass:
      'Należysz do osób, które mają dostęp, gdy logowanie tej organizacji nie działa. Po połączeniu przestaniesz do nich należeć.',
    connectRefused: {
      unproved:
        'Nikt jeszcze nie potwierdził, że to konto jest Twoje. Wyloguj się, przy logowaniu wybierz, że nie pamiętasz hasła, i ustaw nowe przez e-mail.',
      notOffered:
        'Tego logowania nie można teraz połączyć: jest już połączone, jest wyłączone albo daje więcej, niż zostało potwierdzone.',
    },
    connectDone: {
      connected: 'Logowanie zostało połączone.',
      unlinked: 'Logowanie zostało usunięte.',
      over: 'Trwało to zbyt długo. Niczego nie połączono.',
    },
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
