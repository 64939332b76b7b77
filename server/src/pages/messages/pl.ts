import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import { recovery } from './pl-recovery.ts'
import { trial } from './pl-trial.ts'
import { connect } from './pl-connect.ts'
import { upstream } from './pl-upstream.ts'
import { details, errors, situations } from './pl-errors.ts'
import { factors } from './pl-factors.ts'
import { people } from './pl-people.ts'
import { notices } from './pl-notices.ts'

export const pl: Messages = {
  common: {
    errorPrefix: 'Błąd:',
    request: 'Żądanie',
    cancel: 'Anuluj',
    continue: 'Dalej',
    useAnotherAccount: 'Użyj innego konta',
    signedInAs: (account: Child) => phrase`Zalogowano jako ${account}`,
    newTab: '(otwiera się w nowej karcie)',
    language: 'Język',
    help: 'Pomoc',
    privacy: 'Prywatność',
    terms: 'Warunki',
    showPassword: 'Pokaż',
    hidePassword: 'Ukryj',
    copy: 'Kopiuj',
    copied: 'Skopiowano',
  },
  front: {
    signIn: 'Zaloguj się, aby zobaczyć swoje aplikacje i konto',
    title: 'Logowanie i dostęp',
    heading: 'Logowanie i dostęp',
    text: 'Aplikacje kierują Cię tutaj do logowania. Otwórz więc aplikację, której chcesz użyć: pod tym adresem nie ma nic, do czego można się zalogować.',
    developers: 'Dla programistów',
    issuer: 'Wystawca (issuer)',
    description: 'Opis interfejsu, do czytania i wypróbowania',
    discovery: 'Dokument discovery',
  },
  password: {
    title: (client: string) => `Logowanie do ${client}`,
    heading: 'Zaloguj się',
    lead: (client: Child) => phrase`aby przejść do ${client}`,
    againHeading: 'Zaloguj się ponownie',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, potwierdź, że to Ty, zanim przejdziesz do ${client}.`,
    email: 'Adres e-mail',
    password: 'Hasło',
    submit: 'Zaloguj się',
    missingEmail: 'Wpisz swój adres e-mail.',
    missingPassword: 'Wpisz swoje hasło.',
    wrongCredentials: 'Adres e-mail i hasło do siebie nie pasują. Sprawdź jedno i drugie i spróbuj ponownie.',
    tooManyAttempts: (seconds: number) =>
      `Było zbyt wiele prób logowania. Spróbuj ponownie później. Pozostały czas: ${duration('pl', seconds)}.`,
    busy: (seconds: number) =>
      `W tej chwili loguje się bardzo wiele osób. Spróbuj ponownie za chwilę: ${duration('pl', seconds)}.`,
    passkey: 'Zaloguj się kluczem dostępu',
    passkeyFailed: 'Nie użyto żadnego klucza dostępu. Spróbuj ponownie albo zaloguj się hasłem.',
    passkeyRefused: 'Ten klucz dostępu nie został przyjęty. Zaloguj się hasłem albo innym kluczem dostępu.',
    passkeyNeeds: 'Aby zalogować się kluczem dostępu, włącz JavaScript w przeglądarce.',
  },
  firstAdministrator: {
    title: 'Konfiguracja administracji',
    heading: 'Konfiguracja administracji',
    lead: 'Osoba, którą tu wpiszesz, administruje całą instalacją. Tej strony można użyć raz.',
    name: 'Imię i nazwisko',
    email: 'Adres e-mail',
    password: 'Hasło',
    passwordHint: (least: number, most: number) => `Od ${least} do ${most} znaków. Najlepiej kilka słów.`,
    again: 'Hasło jeszcze raz',
    submit: 'Skonfiguruj',
    wrongName: {
      missing: 'Wpisz imię i nazwisko.',
      wrong: 'Wpisz najwyżej 200 znaków, bez niewidocznych.',
    },
    wrongEmail: {
      missing: 'Wpisz adres e-mail.',
      wrong: 'Wpisz adres e-mail, na przykład lena.hoff@example.com.',
      taken: 'Ten adres e-mail już do kogoś należy. Wpisz inny.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Wpisz hasło.',
      too_short: `Minimalna długość hasła to ${least} znaków.`,
      too_long: `Maksymalna długość hasła to ${most} znaków.`,
      untypable: 'Hasło zawiera znak, którego nie da się wpisać z klawiatury.',
      too_common:
        'To jedno z haseł, które zgaduje się najpierw. Użyj kilku słów albo hasła z menedżera haseł.',
      differs: 'Hasła nie są takie same. Wpisz oba jeszcze raz.',
    }),
  },
  firstAdministratorMade: {
    steps: 'Pierwsze kroki',
    secure: (link: Child) => phrase`Zalogowano: ${link}.`,
    secureLink: 'skonfiguruj drugi składnik',
    manage: (link: Child) => phrase`Zarządzaj osobami i aplikacjami w ${link}.`,
    manageLink: 'konsoli',
    registerLink: 'Podłącz aplikację',
    register: (command: Child) => phrase`Zarejestruj aplikację: ${command} zna wiele z nich z nazwy.`,
    peopleLink: 'Zaproś kogoś',
    people: (command: Child) => phrase`Dodaj osoby: ${command}.`,
    title: 'Administracja jest skonfigurowana',
    heading: 'Administrujesz tą instalacją',
    text: (email: Child) => phrase`Od teraz ${email} loguje się hasłem, które właśnie wybrano.`,
    next: (description: Child) =>
      phrase`Tej strony nie można użyć ponownie. Czym możesz odtąd administrować, poleceniem lub przez interfejs, mówi ${description}.`,
    description: 'opis interfejsu',
  },
  chooseProfile: {
    title: (client: string) => `Wybór profilu dla ${client}`,
    heading: 'Wybierz profil',
    lead: (client: Child) => phrase`Od niego zależy, co możesz zobaczyć i zrobić w ${client}.`,
    legend: 'Twoje profile',
    last: 'Ostatnio używany',
    notAvailable: 'Ten profil nie jest już dostępny. Wybierz inny.',
  },
  consent: {
    title: (client: string) => `Zezwolić na dostęp: ${client}?`,
    heading: (client: Child) => phrase`Czy ${client} może używać Twojego konta?`,
    scopesHeading: (client: Child) => phrase`Co otrzyma ${client}`,
    scopes: {
      openid: {
        label: 'Kim tu jesteś',
        text: 'Identyfikator Twojego konta i używany profil: rola, organizacja i jednostka.',
      },
      email: { label: 'Twój adres e-mail', text: 'Adres oraz to, czy został potwierdzony.' },
      profile: {
        label: 'Twoje dane osobowe',
        text: 'Imię i nazwisko, nazwa użytkownika, zdjęcie, język i strefa czasowa, o ile są znane.',
      },
      'service.api': {
        label: 'Dostęp do usług w Twoim imieniu',
        text: 'To, co wymieniono poniżej, o ile pozwala na to używany profil.',
      },
      groups: {
        label: 'Twoje grupy',
        text: 'Nazwy, pod którymi aplikacja Cię przyporządkowuje: z roli, organizacji lub uprawnień.',
      },
      offline_access: {
        label: 'Dostęp pod Twoją nieobecność',
        text: 'Może odnawiać to, co otrzymała, dopóki się nie wylogujesz.',
      },
    },
    more: (client: Child) =>
      phrase`${client} ma już od Ciebie wcześniejszą zgodę. To, co nowe, jest oznaczone.`,
    isNew: 'Nowe',
    administration: 'Administracja tą usługą',
    nothingThere: 'Może wywoływać tę usługę i nie ma w niej żadnych uprawnień.',
    moreThere: (count: number) => `jeszcze ${count}`,
    onwardHeading: 'Co te usługi mogą robić gdzie indziej w Twoim imieniu',
    otherPlaces: 'Może też skierować przeglądarkę do',
    actions: { read: 'przeglądanie', create: 'dodawanie', update: 'zmienianie', delete: 'usuwanie' },
    resources: {
      users: 'Osoby',
      organisations: 'Organizacje',
      units: 'Jednostki',
      profiles: 'Profile',
      roles: 'Role',
      permissions: 'Uprawnienia',
      services: 'Usługi',
      clients: 'Aplikacje i maszyny',
      sessions: 'Sesje',
      consents: 'Zgody',
      keys: 'Klucze podpisu',
      audit: 'Audyt',
      access: 'Dostęp',
      invitations: 'Zaproszenia',
      mails: 'Wiadomości e-mail',
      webhooks: 'Webhooki',
    },
    claims: {
      email: 'Twój adres e-mail',
      name: 'Twoje imię i nazwisko',
      given_name: 'Twoje imię',
      family_name: 'Twoje nazwisko',
      preferred_username: 'Twoja nazwa użytkownika',
      picture: 'Adres Twojego zdjęcia',
      locale: 'Twój język',
      zoneinfo: 'Twoja strefa czasowa',
      former_sub: 'Twój identyfikator w poprzedniej usłudze',
      groups: 'Twoje grupy',
    },
    permissionsAt: (service: Child) => phrase`Na co pozwala używany profil w ${service}`,
    unknownScope: 'Dodatkowe uprawnienie o tej nazwie.',
    documentAt: (host: Child) =>
      phrase`Wydawcą tej aplikacji jest ten, do kogo należy ${host}. Proszę zezwolić tylko wtedy, gdy aplikacja została właśnie uruchomiona przez Pana lub Panią.`,
    toProgram: 'Przyznany dostęp trafi do programu na tym komputerze.',
    returnTo: (host: Child) => phrase`Potem przeglądarka wróci do ${host}.`,
    publisher: (name: Child) => phrase`Wydawca: ${name}`,
    about: (link: Child) => phrase`O tej aplikacji: ${link}`,
    withdraw: (page: Child) => phrase`W każdej chwili możesz wycofać tę zgodę: ${page}.`,
    allow: 'Zezwól',
    deny: 'Nie zezwalaj',
  },
  device: {
    title: 'Połączenie urządzenia',
    heading: 'Połącz urządzenie',
    lead: 'Wpisz kod, który pokazuje Twoje urządzenie lub program.',
    code: 'Kod',
    hint: 'Osiem liter, na przykład BCDF-GHJK.',
    missing: 'Wpisz kod.',
    unknown: 'Nie ma takiego kodu albo wygasł. Porównaj go z urządzeniem albo zacznij tam od nowa.',
    tooMany: (seconds: number) =>
      `Było zbyt wiele błędnych kodów. Spróbuj ponownie. Pozostały czas: ${duration('pl', seconds)}.`,
    note: 'Zanim urządzenie cokolwiek otrzyma, zapytamy Cię o zgodę.',
  },
  confirmDevice: {
    title: (client: string) => `Zezwolić na urządzeniu: ${client}?`,
    heading: (client: Child) => phrase`Czy ${client} na urządzeniu może używać Twojego konta?`,
    compare: 'Urządzenie musi pokazywać dokładnie ten kod:',
    warning: 'Przejdź dalej tylko wtedy, gdy to Ty zaczynasz łączenie, na własnym urządzeniu.',
    why: (client: Child) =>
      phrase`Jeśli ktoś przysłał Ci kod lub link do tej strony, chce używać ${client} w Twoim imieniu.`,
  },
  deviceDone: {
    allowed: {
      title: 'Urządzenie jest połączone',
      heading: 'Urządzenie jest połączone',
      text: 'Przejdź do urządzenia. Możesz już zamknąć tę stronę.',
    },
    denied: {
      title: 'Nie udzielono zgody',
      heading: 'Nie udzielono zgody',
      text: 'Urządzenie nie otrzyma dostępu do Twojego konta. Możesz już zamknąć tę stronę.',
    },
    allowedBefore: {
      title: 'To urządzenie zostało już wcześniej dopuszczone',
      heading: 'To urządzenie zostało już wcześniej dopuszczone',
      text: 'Ma już swój dostęp: udzielono na niego zgody, Twojej lub innej osoby. Twoja odmowa niczego nie zmieniła. Jeśli zgoda była pomyłką, cofnij dostęp na swoim koncie.',
    },
  },
  signedOut: {
    title: 'Wylogowano',
    heading: 'Wylogowano Cię',
    text: 'Twoja sesja się zakończyła. Możesz już zamknąć tę stronę.',
    shared: 'Jeśli tego komputera używają też inni, zamknij wszystkie okna przeglądarki.',
    again: 'Zaloguj się ponownie',
  },
  confirmLogout: {
    title: 'Wylogować się?',
    heading: 'Czy chcesz się wylogować?',
    text: 'Zakończy to Twoją sesję w tej przeglądarce, a z nią logowanie we wszystkich aplikacjach otwartych stąd.',
    textClient: (client: Child) =>
      phrase`Zakończy to Twoją sesję w tej przeglądarce, a z nią logowanie w ${client} i we wszystkich innych aplikacjach otwartych stąd.`,
    textHere: (client: Child) =>
      phrase`Zakończy to logowanie w ${client} w tej przeglądarce. We wszystkich innych aplikacjach pozostaniesz zalogowany.`,
    submit: 'Wyloguj się',
    stay: 'Pozostań zalogowany',
  },
  noProfile: {
    title: 'Jeszcze bez dostępu',
    heading: 'Nie masz jeszcze dostępu',
    text: (account: Child, client: Child) =>
      phrase`Zalogowano jako ${account}, ale nikt nie nadał temu kontu profilu. Bez niego nie możesz używać ${client}.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`Zalogowano jako ${account}, a żaden z Twoich profili nie należy do organizacji, do której należy ${client}.`,
    textShut: (account: Child, client: Child) =>
      phrase`Zalogowano jako ${account}, a żaden z Twoich profili nie otwiera ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`Zalogowano jako ${account}, którego profile czekają: nikt jeszcze nie wykazał, że to konto należy do Ciebie. Poproś o link e-mailem i ustaw nowe hasło. Potem możesz korzystać z ${client}.`,
    sendLink: 'Wyślij mi link',
    whoGives: 'Dostęp może nadać osoba, która ma jedną z tych ról:',
    ask: 'Poproś osobę, która zarządza dostępem w Twojej organizacji, o nadanie temu kontu profilu. Numer żądania na dole tej strony pomoże jej znaleźć sprawę.',
    continue: (client: Child) => phrase`Wróć do ${client}`,
  },
  formPost: {
    title: (place: string) => `Powrót do ${place}`,
    heading: 'Powrót do aplikacji',
    text: (place: Child) =>
      phrase`Przeglądarka wraca do ${place}. Jeśli nie dzieje się to samo, naciśnij przycisk.`,
  },
  ...factors,
  ...notices,
  ...recovery,
  ...people,
  ...upstream,
  ...trial,
  ...connect,
  errorPage: {
    technical: 'Szczegóły techniczne',
    code: 'Kod błędu',
    description: 'Opis',
    returnAddress: 'Adres powrotu',
    unknown: {
      heading: 'Coś poszło nie tak',
      text: 'Nie udało się zrealizować żądania.',
      next: 'Wróć do aplikacji i zacznij od nowa. Jeśli to nie pomoże, podaj wsparciu technicznemu numer żądania poniżej.',
    },
    codes: errors,
    situations,
    details,
  },
}
