import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { factors as english } from './en-factors.ts'
import { phrase } from './phrase.ts'

export const factors: typeof english = {
  secondFactor: {
    title: 'Potwierdź, że to Ty',
    heading: 'Potwierdź, że to Ty',
    lead: (account: Child) => phrase`${account}, samo hasło tutaj nie wystarczy.`,
    code: 'Kod z aplikacji uwierzytelniającej',
    hint: 'Sześć cyfr. Każdy kod działa raz.',
    recoveryLead:
      'Każdy kod odzyskiwania działa raz. Zostały zapisane lub wydrukowane przy konfigurowaniu drugiego składnika.',
    recoveryCode: 'Kod odzyskiwania',
    recoveryHint: 'Na przykład 7-K3QF-9XWM-2TRB-HDN4, razem z numerem.',
    submit: 'Dalej',
    trust: (days: number) =>
      `Nie pytaj o to w tej przeglądarce przez ${days === 1 ? 'jeden dzień' : `${days} dni`}`,
    useKey: 'Użyj klucza dostępu lub klucza bezpieczeństwa',
    keyFailed: 'Nie użyto żadnego klucza dostępu ani klucza bezpieczeństwa. Spróbuj ponownie.',
    keyNeeds: 'Aby użyć klucza dostępu lub klucza bezpieczeństwa, włącz JavaScript w przeglądarce.',
    wrongKey:
      'Ten klucz dostępu lub klucz bezpieczeństwa nie został przyjęty. Spróbuj ponownie albo użyj innego.',
    keySuspended:
      'Twój klucz dostępu lub klucz bezpieczeństwa chwilowo nie działa, bo może istnieć jego kopia. Użyj kodu odzyskiwania albo zwróć się do osób prowadzących tę usługę.',
    useRecovery: 'Użyj kodu odzyskiwania',
    useApp: 'Użyj drugiego składnika',
    missing: 'Wpisz kod.',
    wrong: 'Ten kod jest błędny lub był już użyty. Poczekaj na następny i wpisz go.',
    wrongRecovery: 'Nie ma takiego kodu odzyskiwania albo był już użyty.',
    suspended:
      'Było zbyt wiele błędnych kodów, dlatego kody z aplikacji uwierzytelniającej chwilowo nie działają. Użyj kodu odzyskiwania lub przeglądarki, w której już się logowano, albo zwróć się do osób prowadzących tę usługę.',
    tooMany: (seconds: number) =>
      `Było zbyt wiele błędnych kodów. Spróbuj ponownie. Pozostały czas: ${duration('pl', seconds)}.`,
  },
  enrol: {
    title: 'Konfiguracja drugiego składnika',
    heading: 'Konfiguracja drugiego składnika',
    lead: (client: Child) => phrase`Oprócz hasła ${client} wymaga drugiego dowodu, że to Ty.`,
    own: 'Potwierdza on, oprócz hasła, że to Ty.',
    scan: 'Zeskanuj to aplikacją uwierzytelniającą, na przykład w telefonie lub w menedżerze haseł.',
    qr: 'Kod QR z kluczem dla aplikacji uwierzytelniającej',
    key: 'Albo wpisz tam ten klucz:',
    name: 'Nazwa',
    nameHint: 'Aby odróżnić ją od innych: na przykład telefon.',
    defaultName: 'Aplikacja uwierzytelniająca',
    code: 'Kod, który pokazuje aplikacja',
    submit: 'Skonfiguruj',
    later: 'Później',
    laterNote: (days: number) =>
      days === 1
        ? 'Możesz to zrobić później, do jutra. Potem będzie to konieczne.'
        : `Możesz to zrobić później, w ciągu ${days} dni. Potem będzie to konieczne.`,
    decline: 'Nie konfiguruj',
    missing: 'Wpisz kod, który pokazuje aplikacja.',
    wrong: 'To nie jest kod do tego klucza. Poczekaj na następny i wpisz go.',
    clock: 'Zegar w telefonie źle chodzi. Włącz automatyczne ustawianie czasu, a potem wpisz następny kod.',
    expired: 'Trwało to zbyt długo. Oto nowy klucz: zeskanuj go, a poprzedni usuń z aplikacji.',
    tooMany: 'Masz już trzy aplikacje uwierzytelniające. Najpierw usuń jedną z nich.',
    wrongName: 'Wpisz nazwę mającą najwyżej 100 znaków.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`Najpierw wpisz kod wysyłany na adres ${address}: kto zna tylko Twoje hasło, nie może niczego skonfigurować.`,
    sent: (address: Child) =>
      phrase`Ośmiocyfrowy kod jest w drodze na adres ${address}. Jest ważny przez dziesięć minut, tylko w tej przeglądarce.`,
    code: 'Kod z wiadomości',
    send: 'Wyślij kod',
    again: 'Wyślij inny kod',
    missing: 'Wpisz kod z wiadomości.',
    wrong: 'Ten kod jest błędny lub już nieważny. Po pięciu błędnych potrzebny jest inny kod.',
    tooMany: 'Wysłano tyle kodów, że na razie nie ma następnego. Spróbuj ponownie później.',
  },
  enrolKey: {
    title: 'Konfiguracja klucza dostępu lub bezpieczeństwa',
    passkeyText:
      'Klucz dostępu (passkey) przechowuje Twoje urządzenie lub menedżer haseł. Logujesz się wtedy palcem, twarzą lub kodem PIN, bez hasła.',
    securityKeyText:
      'Klucz bezpieczeństwa to małe urządzenie, które się podłącza lub przykłada do telefonu. Używa się go po haśle.',
    passkey: 'Skonfiguruj klucz dostępu',
    securityKey: 'Skonfiguruj klucz bezpieczeństwa',
    failed: 'Niczego nie skonfigurowano. Spróbuj ponownie.',
    taken: 'To urządzenie lub ten klucz jest już skonfigurowany. Użyj innego.',
    wrong: 'Ten klucz dostępu lub klucz bezpieczeństwa nie został przyjęty. Spróbuj ponownie.',
    needs: 'Aby skonfigurować klucz dostępu lub klucz bezpieczeństwa, włącz JavaScript w przeglądarce.',
  },
  recoveryCodes: {
    title: 'Twoje kody odzyskiwania',
    heading: 'Zachowaj te kody odzyskiwania',
    text: 'Jeśli stracisz drugi składnik, każdy z nich wpuści Cię raz, po haśle. Są pokazywane teraz i nigdy więcej. Wydrukuj je albo przechowaj w menedżerze haseł.',
    list: 'Kody odzyskiwania',
    saved: 'Kody są zachowane',
  },
  accountSignIn: {
    title: 'Jak się logujesz',
    heading: 'Jak się logujesz',
    none: 'Jest tylko hasło: kto je zna, może zalogować się jako Ty.',
    factors: 'Drugie składniki',
    app: 'Aplikacja uwierzytelniająca',
    passkey: 'Klucz dostępu',
    securityKey: 'Klucz bezpieczeństwa',
    made: (date: string) => `Skonfigurowano ${date}`,
    used: (date: string) => `Ostatnio użyto ${date}`,
    suspended: 'Zawieszone po zbyt wielu błędnych kodach',
    add: 'Dodaj aplikację uwierzytelniającą',
    addKey: 'Dodaj klucz dostępu lub klucz bezpieczeństwa',
    tooManyKeys: 'Masz już dziesięć kluczy dostępu i bezpieczeństwa. Usuń jeden, aby dodać inny.',
    noKeysByIp: 'Nie ma tu kluczy dostępu ani kluczy bezpieczeństwa: ta usługa ma adres IP, a nie nazwę.',
    synced: 'Synchronizowany między Twoimi urządzeniami',
    onDevice: 'Pozostaje na jednym urządzeniu',
    earlier: (domain: Child) => phrase`Z wcześniejszego adresu (${domain}): tutaj nie działa.`,
    suspendedKey: 'Zawieszony, bo może istnieć jego kopia. Usuń go i skonfiguruj nowy.',
    elsewhere: 'Wyloguj wszędzie indziej',
    rename: 'Zmień nazwę',
    name: 'Nazwa',
    remove: 'Usuń',
    removeNamed: (name: Child) => phrase`Usuń: ${name}`,
    renameNamed: (name: Child) => phrase`Zmień nazwę: ${name}`,
    recovery: 'Kody odzyskiwania',
    recoveryLeft: (count: number) =>
      count === 0 ? 'Nie został żaden.' : count === 1 ? 'Został jeden.' : `Pozostało: ${count}.`,
    newCodes: 'Utwórz nowe kody odzyskiwania',
    newCodesNote: 'Poprzednie przestaną wtedy działać.',
    getsIn:
      'Tylko Ty masz dostęp, gdy logowanie Twojej organizacji nie działa. Poproś administratorów, aby najpierw wskazali kogoś innego.',
    lastOne: 'To ostatni drugi składnik, a tutaj jest on potrzebny. Skonfiguruj inny, zanim go usuniesz.',
    unknown: 'Tego drugiego składnika już nie ma.',
    done: {
      password: 'Hasło zostało zmienione. Nastąpiło wylogowanie wszędzie indziej.',
      removed: 'Drugi składnik został usunięty.',
      renamed: 'Drugi składnik ma nową nazwę.',
      added: 'Drugi składnik jest skonfigurowany.',
    },
    proveHeading: 'Potwierdź, że to Ty',
    proveText:
      'To zmienia sposób logowania. Potwierdź jeszcze raz, że to Ty: nie może to być dawniej niż dziesięć minut temu.',
    proveByKey:
      'To zmienia sposób logowania. Użyj klucza dostępu albo wpisz hasło i użyj klucza bezpieczeństwa. Nie może to być dawniej niż dziesięć minut temu.',
    back: 'Wróć do sposobu logowania',
    password: 'Hasło',
    wrongPassword: 'To hasło jest błędne.',
    signInFirst: 'Najpierw się zaloguj',
    signInText:
      'Nie jesteś tu zalogowany. Otwórz aplikację, której używasz, zaloguj się tam i wróć na tę stronę.',
    signInAgain: 'Zaloguj się',
  },
}
